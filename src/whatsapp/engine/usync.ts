/** Questions about users: their devices, their addresses, whether they have an account. */
export { USyncQuery, type USyncQueryResult, type USyncQueryResultList, USyncUser } from 'baileys';
