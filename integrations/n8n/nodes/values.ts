/** Parameters and answers as what they are meant to be. */
import type { IDataObject } from 'n8n-workflow';

/** A text or number as trimmed text; empty for everything else. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

/** The object, or an empty one. */
export const objectOf = (value: unknown): IDataObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/** A list of objects. */
export const listOf = (value: unknown): IDataObject[] =>
  Array.isArray(value) ? value.map((one: unknown) => objectOf(one)) : [objectOf(value)];
