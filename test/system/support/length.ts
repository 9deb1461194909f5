/** Slow proofs have two lengths: the short one runs in `npm test`, the long one in `npm run test:long`, before a release. */

const isLong = process.env['TEST_LENGTH'] === 'long';

export const sized = <T>(short: T, long: T): T => (isLong ? long : short);
