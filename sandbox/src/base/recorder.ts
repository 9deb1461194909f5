/** Records all traffic of linked clients, for tests that compare clients. */
import type { BinaryNode, proto } from 'baileys';

export type Recorded =
  | { readonly kind: 'login'; readonly number: string | null; readonly payload: proto.IClientPayload }
  | {
      readonly kind: 'stanza';
      readonly from: 'client' | 'network';
      readonly number: string | null;
      readonly node: BinaryNode;
    }
  | {
      readonly kind: 'message';
      readonly reader: string;
      readonly author: string;
      readonly message: proto.IMessage;
    }
  | { readonly kind: 'request'; readonly method: string; readonly path: string; readonly headers: readonly string[] };

export type Recorder = (entry: Recorded) => void;

interface Sender {
  send(node: BinaryNode): void;
  close(last?: BinaryNode): void;
}

export const recorded = <C extends Sender>(client: C, number: string | null, record: Recorder | undefined): C => {
  if (record === undefined) return client;
  const tell = (node: BinaryNode): void => record({ kind: 'stanza', from: 'network', number, node });
  return {
    ...client,
    send(node: BinaryNode) {
      tell(node);
      client.send(node);
    },
    close(last?: BinaryNode) {
      if (last !== undefined) tell(last);
      client.close(last);
    },
  };
};
