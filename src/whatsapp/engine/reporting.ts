/** The token that allows a recipient to report a message. */
export { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
