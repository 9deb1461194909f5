/** Strict reading of JSON bodies and queries: every field has a rule, unknown fields are refused. */
import { badRequest } from './errors.ts';

export type Field<T> = (value: unknown, name: string) => T;
type Fields = Readonly<Record<string, Field<unknown>>>;
export type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const readFields = <F extends Fields>(value: unknown, fields: F, where = 'the body'): Read<F> => {
  if (!isObject(value)) throw badRequest(`${where} must be a JSON object`);
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(fields, name)) {
      throw badRequest(`${name} is unknown in ${where}; known: ${Object.keys(fields).join(', ') || 'none'}`);
    }
  }
  const read = Object.entries(fields).map(([name, field]) => [name, field(value[name], name)] as const);
  // Each entry was read by the field of its name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(read) as Read<F>;
};

export const readNothing = (body: unknown): void => void readFields(body ?? {}, {});

export const optional =
  <T>(field: Field<T>): Field<T | null> =>
  (value, name) =>
    value === undefined || value === null ? null : field(value, name);

export const unless =
  <T>(field: Field<T>): Field<T | undefined> =>
  (value, name) =>
    value === undefined ? undefined : field(value, name);

export const text =
  (max = 65_536, min = 1): Field<string> =>
  (value, name) => {
    if (typeof value !== 'string' || value.length < min || value.length > max) {
      throw badRequest(`${name} must be a string of ${min} to ${max} characters`);
    }
    return value;
  };

export const oneOf =
  <T extends string>(...values: readonly T[]): Field<T> =>
  (value, name) => {
    const found = values.find((each) => each === value);
    if (found === undefined) throw badRequest(`${name} must be one of ${values.join(', ')}`);
    return found;
  };

export const flag: Field<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw badRequest(`${name} must be true or false`);
  return value;
};

export const decimal =
  (min: number, max: number): Field<number> =>
  (value, name) => {
    if (typeof value !== 'number' || value < min || value > max) {
      throw badRequest(`${name} must be a number from ${min} to ${max}`);
    }
    return value;
  };

export const whole =
  (min: number, max: number): Field<number> =>
  (value, name) => {
    if (!Number.isSafeInteger(value) || typeof value !== 'number' || value < min || value > max) {
      throw badRequest(`${name} must be a whole number from ${min} to ${max}`);
    }
    return value;
  };

/** A phone number in any usual spelling; returns its digits. */
export const phoneNumber: Field<string> = (value, name) => {
  if (typeof value !== 'string' || !/^\+?\d{5,15}$/.test(value)) {
    throw badRequest(`${name} must be a phone number of 5 to 15 digits, country code included`);
  }
  return value.replace('+', '');
};

export const list =
  <T>(field: Field<T>, min: number, max: number): Field<readonly T[]> =>
  (value, name) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      throw badRequest(`${name} must be an array of ${min} to ${max}`);
    }
    return value.map((item, index) => field(item, `${name}[${index}]`));
  };

export const base64: Field<Buffer> = (value, name) => {
  if (typeof value !== 'string') throw badRequest(`${name} must be base64`);
  const encoded = value.startsWith('data:') ? value.slice(value.indexOf(',') + 1) : value;
  if (encoded === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw badRequest(`${name} must be base64`);
  return Buffer.from(encoded, 'base64');
};

export const readQuery = <F extends Fields>(query: URLSearchParams, fields: F): Read<F> =>
  readFields(
    Object.fromEntries([...query].map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value])),
    fields,
    'the query',
  );
