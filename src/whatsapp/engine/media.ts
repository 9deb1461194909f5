/** Requests to the account's phone for a file that the media host has dropped. */
export { decryptMediaRetryData, encryptMediaRetryRequest } from 'baileys';
