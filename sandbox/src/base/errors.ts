/** Errors of the control interface: a status and a message. */

export class ControlError extends Error {
  readonly status: number;
  /** Allowed methods, for a 405. */
  readonly allow: readonly string[];

  constructor(status: number, message: string, allow: readonly string[] = []) {
    super(message);
    this.status = status;
    this.allow = allow;
  }
}

export const badRequest = (message: string): ControlError => new ControlError(400, message);
export const notFound = (what: string): ControlError => new ControlError(404, what);
/** The request conflicts with the present state of the phone or the network. */
export const conflict = (message: string): ControlError => new ControlError(409, message);
