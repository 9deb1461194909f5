/** User queries: devices, addresses, and whether they have an account. */
export { USyncQuery, type USyncQueryResult, type USyncQueryResultList, USyncUser } from 'baileys';
