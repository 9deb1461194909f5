/** One session of a device, as the service uses it. */
import type { ConnectOptions, NetworkSession, SessionListener } from '../domain/network.ts';
import { conversationOf } from './conversation/acts.ts';
import { Connection, type ConnectionOptions } from './login/connection.ts';
import { groupsOf } from './groups/acts.ts';
import { downloadMedia } from './media/download.ts';
import { removeCompanionDevice } from './login/log-out.ts';
import { lookUp } from './identity/look-up.ts';
import { sendMessage } from './send/send.ts';

export type SessionOptions = ConnectionOptions & ConnectOptions;

/** Connects at once; what comes of it is told to the listener. */
export const startSession = (options: SessionOptions, listener: SessionListener): NetworkSession => {
  const { deviceId, endpoint } = options;
  const connection = new Connection(options, listener);
  void connection.start();
  return {
    deviceId,
    lookUp: async (number) => lookUp(connection.openLink(), number),
    send: async (message, onTaken = () => {}) => sendMessage(connection.openLink(), message, onTaken),
    writeAppState: async (mutations) => connection.openLink().appState.write(mutations),
    async downloadMedia(message, waitMs) {
      const { sock, reuploads } = connection.openLink();
      return downloadMedia(sock, endpoint, message, (...gone) => reuploads.pathOf(...gone, waitMs));
    },
    answerPasskey: async (credential) => connection.pairing.answerPasskey(credential),
    confirmPasskey: async () => connection.pairing.confirmPasskey(),
    conversation: conversationOf(() => connection.openLink()),
    groups: groupsOf(() => connection.openLink()),
    applySettings: (settings) => connection.applySettings(settings),
    async logout() {
      if (connection.isOpen) await connection.leaving((link) => removeCompanionDevice(link, deviceId));
      await connection.end({ kind: 'requested' });
    },
    close: () => connection.end({ kind: 'requested' }),
    cut: () => connection.cut(),
  };
};
