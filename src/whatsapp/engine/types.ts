/** Types of the socket, the credentials, and the stores given to the engine. */
export type {
  AuthenticationCreds,
  LIDMapping,
  SignalAuthState,
  SignalCreds,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  SignalRepositoryWithLIDStore,
  SocketConfig,
  WAMessage,
  WASocket,
} from 'baileys';
