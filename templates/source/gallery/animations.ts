import { lottieDocument, serialized } from '../kit/document.ts';
import { audiogram } from './audiogram.ts';
import { countdown } from './countdown.ts';
import { endCard } from './end-card.ts';
import { jobOffer } from './job-offer.ts';
import { listing } from './listing.ts';
import { lowerThird } from './lower-third.ts';
import { productGrid } from './product-grid.ts';
import { quoteCard } from './quote.ts';
import { recipe } from './recipe.ts';
import { review } from './review.ts';
import { sale } from './sale.ts';
import { weeklyNumbers } from './weekly-numbers.ts';

/** The text of `animation.json` of each template of the gallery, by name. Always the same bytes from the same sources. */
export const galleryAnimations: Readonly<Record<string, string>> = {
  quote: serialized(lottieDocument(quoteCard)),
  'product-grid': serialized(lottieDocument(productGrid)),
  countdown: serialized(lottieDocument(countdown)),
  listing: serialized(lottieDocument(listing)),
  'job-offer': serialized(lottieDocument(jobOffer)),
  recipe: serialized(lottieDocument(recipe)),
  review: serialized(lottieDocument(review)),
  audiogram: serialized(lottieDocument(audiogram)),
  'end-card': serialized(lottieDocument(endCard)),
  'lower-third': serialized(lottieDocument(lowerThird)),
  sale: serialized(lottieDocument(sale)),
  'weekly-numbers': serialized(lottieDocument(weeklyNumbers)),
};
