/** Errors of the control interface: a status and words that name what is wrong. */
import { NoSuchPasskey } from '../phones/companions/authenticator.ts';
import { NotAnImage } from '../phones/sending/compose.ts';
import { NoSuchAddress } from '../phones/sending/sending.ts';
import { NoSuchMessage, NotPossible } from '../phones/sending/writer.ts';

export class ControlError extends Error {
  readonly status: number;
  /** Methods of the resource, with a 405. */
  readonly allow: readonly string[];

  constructor(status: number, message: string, allow: readonly string[] = []) {
    super(message);
    this.status = status;
    this.allow = allow;
  }
}

export const badRequest = (message: string): ControlError => new ControlError(400, message);
export const notFound = (what: string): ControlError => new ControlError(404, what);
export const conflict = (message: string): ControlError => new ControlError(409, message);

/** Translates errors of phones for the caller; null for faults of the sandbox itself. */
export const asControlError = (error: unknown): ControlError | null => {
  if (error instanceof ControlError) return error;
  if (error instanceof NoSuchAddress || error instanceof NoSuchMessage) return notFound(error.message);
  if (error instanceof NoSuchPasskey) return badRequest(error.message);
  if (error instanceof NotAnImage) return badRequest(error.message);
  if (error instanceof NotPossible) return conflict(error.message);
  return null;
};
