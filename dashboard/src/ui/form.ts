/** Forms that change something, and the place of their errors. */
import { type FormEvent, useState } from 'react';
import { ApiError, messageOf } from '../api/client.ts';

/** What a form itself finds wrong with one of its fields. */
export class FieldError extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

export interface Form<F extends string> {
  readonly busy: boolean;
  /** The error of a field. */
  readonly errorOf: (field: F) => string | null;
  /** An error that is about none of the fields. */
  readonly error: string | null;
  readonly clear: () => void;
  readonly submit: (event?: FormEvent) => void;
}

/** `save` throws what is wrong. An error about one of `fields` is shown there. */
export const useForm = <F extends string>(fields: readonly F[], save: () => unknown): Form<F> => {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const named = failure instanceof ApiError || failure instanceof FieldError ? failure.field : null;
  const field = fields.find((one) => one === named);
  const run = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      await save();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    errorOf: (one) => (one === field ? messageOf(failure) : null),
    error: failure === null || field !== undefined ? null : messageOf(failure),
    clear: () => setFailure(null),
    submit(event) {
      event?.preventDefault();
      void run();
    },
  };
};
