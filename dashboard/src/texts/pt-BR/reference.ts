/** The API reference at `/docs`: its frame, since what it shows is the service's own document. */
import type { reference as english } from '../en/reference.ts';
import type { Translated } from '../translated.ts';
import { count, number } from './words.ts';

export const reference: Translated<typeof english> = {
  reference: {
    title: 'Referência da API',
    operations: 'Operações',
    events: 'Eventos de webhook',
    allOperations: 'Todas as operações',
    search: 'Pesquisar',
    searchHint: 'Pesquisar (tecle /)',
    found: (n: number) => count(n, 'resultado', 'resultados'),
    notFound: 'Nada encontrado. Tente um caminho, um campo ou um evento.',
    unknown: 'Esta página não existe.',
    dashboard: 'Painel',
    address: 'URL base',
    authentication: 'Autenticação',
    signedInAs: (start: string) => `Sessão iniciada com ${start}…`,
    signInLead: 'Entre para enviar requisições desta página. O painel usa a mesma sessão.',
    document: 'Documento OpenAPI',
    parameters: 'Parâmetros',
    body: 'Corpo da requisição',
    optionalBody: 'Corpo da requisição (opcional)',
    response: 'Resposta',
    payload: 'Payload',
    errors: 'Erros',
    required: 'obrigatório',
    samples: 'Exemplo de código',
    language: 'Linguagem',
    copySample: 'Copiar código',
    example: 'Exemplo',
    tryIt: 'Experimente',
    send: 'Enviar',
    stop: 'Parar',
    notJson: 'O corpo não é um JSON válido.',
    accept: 'Formato da resposta',
    signInToTry: 'Entre primeiro: esta operação precisa de uma chave.',
    image: 'Imagem da resposta',
    save: (bytes: number) => `Salvar o arquivo (${number(bytes)} bytes)`,
    sends: 'As requisições vão para este serviço e têm efeito.',
  },
};
