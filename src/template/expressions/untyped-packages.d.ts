/** Internals of lottie-web, which have no types. */
declare module 'lottie-web/player/js/*';
