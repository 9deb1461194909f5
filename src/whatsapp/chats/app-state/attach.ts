/** Reads the application state when the phone has shared its keys, and when the network reports changes. */
import { type BinaryNode, buildAckStanza } from '../../engine/nodes.ts';
import type { Line } from '../../engine/line/line.ts';
import { replaceListener } from '../../engine/stanza-hooks.ts';
import { AppState, type AppStateParts } from './app-state.ts';

const isServerSync = ({ attrs }: BinaryNode): boolean => attrs['type'] === 'server_sync';

export const attachAppState = (
  parts: AppStateParts & { readonly line: Pick<Line, 'send' | 'sendInPassing'> },
): AppState => {
  const { sock, line } = parts;
  const appState = new AppState(parts);
  // Acknowledged once read, so that a notification lost with the connection is delivered again.
  const changed = async (notification: BinaryNode): Promise<void> => {
    await appState.changed(notification);
    if (sock.ws.isOpen) line.sendInPassing([buildAckStanza(notification)]);
  };
  const others: (notification: BinaryNode) => unknown = replaceListener(sock.ws, 'CB:notification', (notification) =>
    isServerSync(notification) ? void changed(notification) : others(notification),
  );
  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'open') appState.opened();
  });
  // Emitted after the message is stored and its receipt sent.
  sock.ev.on('messages.upsert', ({ messages }) => {
    if (messages.some(({ key, message }) => key.fromMe && message?.protocolMessage?.appStateSyncKeyShare)) {
      appState.keysShared();
    }
  });
  return appState;
};
