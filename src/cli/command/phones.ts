/** The phones of the sandbox, as its control interface tells of them (docs/sandbox.md). */
import { CommandError } from '../client/failure.ts';
import type { Client } from '../client/client.ts';

export interface Phone {
  readonly number: string;
  readonly name: string;
  readonly linkedDevices: readonly { readonly device: number }[];
}

export interface PhoneMessage {
  readonly seq: number;
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly timestamp: string;
  readonly type: string;
  readonly text: string | null;
  readonly image: { readonly width: number; readonly height: number; readonly caption: string | null } | null;
  readonly state: string;
}

/** A call of the control interface. Throws CommandError in plain words where the service has no sandbox. */
export const askPhones = async <T>(phones: Client, method: string, path: string, body?: unknown): Promise<T> => {
  try {
    return await phones.call<T>(method, path, body);
  } catch (error) {
    if (error instanceof CommandError && error.message === 'Route not found') {
      throw new CommandError('this service is on the real network; phones exist only with "handset start --sandbox"');
    }
    throw error;
  }
};
