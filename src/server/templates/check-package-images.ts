import { embeddedImages } from '../../engine/embedded-images.ts';
import type { RequestProblem } from '../../service/wire.ts';
import { checkSource } from '../../session/check-source.ts';
import { SessionFailure } from '../../session/ports.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { problem } from './package-problems.ts';

/** What is wrong with the images of a package and those inside its animation, as far as their structure tells. */
export function checkPackageImages({ images, animation }: TemplatePackage): RequestProblem[] {
  const files = new Map([...images.values()].map(({ path, bytes }) => [path, bytes]));
  return [
    ...[...files].flatMap(([path, bytes]) => problemsOf(bytes, path, '')),
    ...embeddedImages(animation).flatMap(({ assetId, bytes }) =>
      problemsOf(bytes, 'animation.json', `Asset ${assetId}: `),
    ),
  ];
}

function problemsOf(bytes: Uint8Array, file: string, subject: string): RequestProblem[] {
  try {
    checkSource(bytes);
    return [];
  } catch (error) {
    if (!(error instanceof SessionFailure)) throw error;
    const { code, title, detail = title } = error.error;
    return [problem(code, file, `${subject}${detail}`)];
  }
}
