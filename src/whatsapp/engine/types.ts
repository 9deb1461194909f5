/** Types of the socket, the credentials, and the stores that the engine is given. */
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
