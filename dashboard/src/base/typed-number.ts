/** Phone numbers as people write them, parsed as the client does. */
export { plainNumber, plainNumbers } from '../../../client/src/numbers.ts';
