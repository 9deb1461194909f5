/** Where the service is, and the key of its user. */
import type { ICredentialType, INodeProperties } from 'n8n-workflow';

export class HandsetApi implements ICredentialType {
  name = 'handsetApi';

  displayName = 'Handset API';

  icon = { light: 'file:../icons/handset.svg', dark: 'file:../icons/handset.dark.svg' } as const;

  properties: INodeProperties[] = [
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: 'http://127.0.0.1:8080',
      placeholder: 'https://handset.example.com',
      description: 'Address of the service, without /v1',
      required: true,
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      placeholder: 'hs_…',
      required: true,
    },
  ];

  authenticate = {
    type: 'generic' as const,
    properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
  };

  test = {
    request: { baseURL: '={{$credentials.baseUrl.replace(/\\/+$/, "")}}', url: '/v1/me', method: 'GET' as const },
  };
}
