/** Reads app state when the phone has shared its keys, and when the network reports changes. */
import type { proto } from '../../library/proto.ts';
import type { Notices } from '../../receive/notices.ts';
import { AppState, type AppStateParts } from './app-state.ts';

interface Parts extends AppStateParts {
  readonly notices: Notices;
  readonly whenPhoneSpoke: Set<(message: proto.IMessage) => void>;
}

export const attachAppState = (parts: Parts): AppState => {
  const { sock, notices, whenPhoneSpoke } = parts;
  const appState = new AppState(parts);
  // Acknowledged once read, so that a notification lost with the connection is redelivered.
  notices.on('server_sync', (notice) => appState.changed(notice), { beside: true, strict: true });
  sock.on('open', () => appState.opened());
  whenPhoneSpoke.add(({ protocolMessage }) => {
    if (protocolMessage?.appStateSyncKeyShare) appState.keysShared();
  });
  return appState;
};
