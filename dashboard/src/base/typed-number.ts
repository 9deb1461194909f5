/** Phone numbers as people write them: as the client takes them. */
export { plainNumber, plainNumbers } from '../../../client/src/numbers.ts';
