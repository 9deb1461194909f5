/** Paging by cursor (docs/spec/http-interface.md, Paging). */
import { invalidRequest } from '../../errors.ts';

export const assertSearchable = (q: string | undefined, search = true): void => {
  if (q === undefined || search) return;
  throw invalidRequest('q: the operator of this service has turned searching off (HANDSET_SEARCH=off)');
};

const defaultLimit = 100;

export const pageOf = (query: { readonly limit?: number; readonly cursor?: string }) => ({
  limit: query.limit ?? defaultLimit,
  cursor: query.cursor ?? null,
});
