/** The token by which a message can be reported. */
export { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
