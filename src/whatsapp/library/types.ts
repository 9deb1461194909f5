/** Types of the credentials and key stores. */
export type {
  AuthenticationCreds,
  LIDMapping,
  SignalAuthState,
  SignalCreds,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
} from 'baileys';
