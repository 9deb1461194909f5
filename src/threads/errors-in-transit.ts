/** Errors as values: between threads an error loses its class, and the service and the driver go by classes. */
import { LeaseLost } from '../domain/lease.ts';
import { type ErrorName, HandsetError, SendOutcomeUnknown } from '../errors.ts';

export type ErrorInTransit =
  | {
      readonly kind: 'handset';
      readonly name: ErrorName;
      readonly message: string;
      readonly retryAfterSeconds: number | undefined;
      readonly cause: ErrorInTransit | null;
    }
  | { readonly kind: 'lease lost'; readonly deviceId: number }
  | { readonly kind: 'outcome unknown'; readonly message: string; readonly cause: ErrorInTransit | null }
  | { readonly kind: 'other'; readonly message: string; readonly cause: ErrorInTransit | null };

/** A chain of causes that is longer says nothing more. */
const mostCauses = 4;

export const packError = (error: unknown, causes = mostCauses): ErrorInTransit => {
  if (error instanceof LeaseLost) return { kind: 'lease lost', deviceId: error.deviceId };
  if (!(error instanceof Error)) return { kind: 'other', message: String(error), cause: null };
  const cause = error.cause === undefined || causes === 0 ? null : packError(error.cause, causes - 1);
  if (error instanceof SendOutcomeUnknown) return { kind: 'outcome unknown', message: error.message, cause };
  if (!(error instanceof HandsetError)) return { kind: 'other', message: error.message, cause };
  const { name, message, retryAfterSeconds } = error;
  return { kind: 'handset', name, message, retryAfterSeconds, cause };
};

const withCause = (cause: ErrorInTransit | null): { readonly cause?: Error } =>
  cause === null ? {} : { cause: unpackError(cause) };

export const unpackError = (packed: ErrorInTransit): Error => {
  switch (packed.kind) {
    case 'lease lost':
      return new LeaseLost(packed.deviceId);
    case 'outcome unknown':
      return new SendOutcomeUnknown(packed.message, withCause(packed.cause));
    case 'other':
      return new Error(packed.message, withCause(packed.cause));
    case 'handset': {
      const { name, message, retryAfterSeconds, cause } = packed;
      return new HandsetError(name, message, {
        ...withCause(cause),
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
    }
  }
};
