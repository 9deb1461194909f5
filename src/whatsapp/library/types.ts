export type {
  AuthenticationCreds,
  LIDMapping,
  SignalAuthState,
  SignalCreds,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
} from 'baileys';
