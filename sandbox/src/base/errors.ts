/** Errors of the control interface: a status and words that name what is wrong. */

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
/** The request does not fit the present state of the phone or the network. */
export const conflict = (message: string): ControlError => new ControlError(409, message);
