/** Stanzas whose handlers must not throw. */
import { Stanzas } from '../../../src/whatsapp/socket/socket.ts';

export const strictStanzas = (): Stanzas =>
  new Stanzas((error) => {
    throw error;
  });
