/** The list of devices, and creating and pairing one. */
import type { devices as english } from '../en/devices.ts';
import type { Translated } from '../translated.ts';
import { count } from './words.ts';

export const devices: Translated<typeof english> = {
  devices: {
    title: 'Dispositivos',
    create: 'Novo dispositivo',
    none: 'Nenhum dispositivo ainda',
    noneHint: 'Um dispositivo é uma conta do WhatsApp conectada. Crie um e escaneie o QR code com seu celular.',
    device: 'Dispositivo',
    account: 'Conta',
    notLinked: 'Sem conta',
    sentColumn: 'Enviadas',
    webhookColumn: 'Webhook',
    on: 'Sim',
    off: 'Não',
    created: 'Criado em',
    inactive: 'Inativo',
    id: (id: number) => `Dispositivo ${id}`,
    search: 'Pesquisar por nome, número ou ID',
    noMatch: 'Nenhum dispositivo encontrado',
    clear: 'Limpar a pesquisa',
    filter: 'Status',
    all: 'Todos',
    summary: (connected: number, all: number) =>
      `${connected} de ${count(all, 'dispositivo conectado', 'dispositivos conectados')}`,
  },
  status: {
    connected: 'Conectado',
    qr: 'Pareando',
    timeout: 'Não conectado',
  },
  create: {
    title: 'Novo dispositivo',
    name: 'Nome',
    nameHint: 'Ajuda você a reconhecê-lo. Opcional.',
    method: 'Como você quer parear?',
    byQr: 'Escanear um QR code',
    byQrHint: 'Com a câmera do celular',
    byCode: 'Inserir um código',
    byCodeHint: 'Se você não consegue escanear a tela',
    number: 'Número de telefone',
    numberHint: 'Código do país e número, somente dígitos. Exemplo: 5511912345678',
    history: 'Mensagens a carregar do celular',
    historyHint: 'Elas aparecem nas conversas e não disparam webhooks.',
    submit: 'Criar dispositivo',
    working: 'Criando o dispositivo…',
  },
  pairing: {
    title: 'Parear este dispositivo',
    qr: 'QR code para escanear com seu celular',
    steps: [
      'Abra o WhatsApp no seu celular.',
      'No Android: ⋮ › Dispositivos conectados. No iPhone: Configurações › Dispositivos conectados.',
      'Toque em “Conectar dispositivo” e escaneie este QR code.',
    ],
    codeSteps: [
      'Abra o WhatsApp no seu celular.',
      'No Android: ⋮ › Dispositivos conectados. No iPhone: Configurações › Dispositivos conectados. Toque em “Conectar dispositivo”.',
      'Toque em “Conectar com número de telefone” e insira este código.',
    ],
    code: 'Código de pareamento',
    copyCode: 'Copiar código',
    qrCountdown: (seconds: number) => `Novo QR code em ${seconds} s`,
    codeCountdown: (seconds: number) => `Expira em ${seconds} s`,
    refreshing: 'Aguardando um novo código…',
    again: 'Parear novamente',
    helpTitle: 'Seu celular mostra “Não foi possível conectar o dispositivo”?',
    help: [
      'Escaneie novamente o QR code desta página. O WhatsApp pode ter emitido um novo.',
      'Se isso continuar acontecendo, a versão do cliente abaixo pode ser antiga demais para o WhatsApp. Atualize o Handset ou peça ao operador que o atualize.',
    ],
  },
  passkey: {
    title: 'Confirme com sua chave de acesso',
    steps: [
      'Abra o WhatsApp Web com o botão. A extensão “Handset passkey” pede sua confirmação lá.',
      'Clique em “Use passkey” e siga as instruções do navegador ou do celular.',
      'Volte para cá. O dispositivo se conecta automaticamente ou mostra um código para comparar.',
    ],
    open: 'Abrir o WhatsApp Web',
    copyLink: 'Copiar link para outro navegador',
    noExtension: 'A extensão não está neste navegador?',
    download: 'Baixar a extensão',
    install: [
      'Baixe a extensão e descompacte-a neste computador.',
      'Abra chrome://extensions no Chrome, Edge, Brave ou Chromium e ative o “Modo do desenvolvedor”.',
      'Clique em “Carregar sem compactação”, selecione a pasta e abra o WhatsApp Web novamente.',
    ],
    refused: (detail: string) =>
      `O WhatsApp rejeitou a última tentativa (${detail}). Abra o WhatsApp Web novamente e use a chave de acesso da conta que você está conectando.`,
    countdown: (seconds: number) =>
      `Tempo restante: ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`,
    over: 'O tempo acabou',
    startOver: 'Recomeçar',
    phone: 'O WhatsApp recebeu sua chave de acesso. Seu celular está concluindo a conexão, o que leva alguns segundos.',
    confirmSteps: [
      'Olhe seu celular. Ele também mostra um código.',
      'Se os dois códigos forem iguais, clique em “Os códigos são iguais”.',
      'O dispositivo se conecta automaticamente.',
    ],
    confirmWarning:
      'Se os códigos forem diferentes, alguém pode estar interceptando a conexão. Não confirme. Recomece o processo.',
    code: 'Código para comparar',
    match: 'Os códigos são iguais',
    differ: 'Os códigos são diferentes, recomeçar',
  },
};
