/** Paging by cursor (docs/spec/http-interface.md, Paging). */
import { Type } from 'typebox';
import { nullableText } from '../build.ts';

export const limitParameter = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description: 'Maximum number of items, 1 to 1000',
  errorMessage: 'must be a whole number from 1 to 1000',
});

const cursorParameter = Type.String({
  minLength: 1,
  maxLength: 512,
  description: '`nextCursor` of the previous page',
  errorMessage: 'must be the nextCursor of an earlier page',
});

export const pageParameters = { limit: Type.Optional(limitParameter), cursor: Type.Optional(cursorParameter) };

export const nextCursor = nullableText({ description: 'Cursor of the next page; null at the end' });
