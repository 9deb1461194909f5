/** Errors of the control interface: a status and a message. */

export class ControlError extends Error {
  readonly status: number;
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
