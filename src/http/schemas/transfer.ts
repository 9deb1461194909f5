/** Members of what moves a device between installations. */
import { Type } from 'typebox';

export const passphraseMember = Type.String({
  minLength: 12,
  maxLength: 1024,
  description: 'Seals the package; 12 characters or more',
  errorMessage: 'must be a string of 12 to 1,024 characters',
});
