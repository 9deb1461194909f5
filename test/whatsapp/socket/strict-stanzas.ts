/** Stanzas whose handlers must not throw. */
import { Stanzas } from '../../../src/whatsapp/socket/dispatch.ts';

export const strictStanzas = (): Stanzas =>
  new Stanzas((error) => {
    throw error;
  });
