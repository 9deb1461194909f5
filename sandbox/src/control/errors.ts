/** Errors of the control interface: a status and words that name what is wrong. */
import { NoSuchPasskey } from '../phones/account/authenticator.ts';
import { NotAnImage } from '../phones/writing/compose.ts';
import { NoSuchAddress } from '../phones/writing/sending.ts';
import { NoSuchMessage, NotPossible } from '../phones/writing/writer.ts';

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

/** What the phones throw, as the caller sees it; null for what is a fault of the sandbox itself. */
export const asControlError = (error: unknown): ControlError | null => {
  if (error instanceof ControlError) return error;
  if (error instanceof NoSuchAddress || error instanceof NoSuchMessage) return notFound(error.message);
  if (error instanceof NoSuchPasskey) return badRequest(error.message);
  if (error instanceof NotAnImage) return badRequest(error.message);
  if (error instanceof NotPossible) return conflict(error.message);
  return null;
};
