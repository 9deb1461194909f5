/** A device and its settings. */
import type { device as english } from '../en/device.ts';
import type { Translated } from '../translated.ts';
import { count, number } from './words.ts';

export const device: Translated<typeof english> = {
  device: {
    tabs: {
      label: 'Dispositivo',
      chat: 'Mensagens',
      status: 'Status',
      channels: 'Canais',
      webhook: 'Webhook',
      deliveries: 'Entregas',
      events: 'Eventos',
      activity: 'Atividade',
      settings: 'Configurações',
    },
    missing: 'Dispositivo não encontrado',
    broken: 'Não é possível mostrar esta página.',
    general: 'Geral',
    state: 'Status',
    account: 'Conta',
    noAccount: 'Nenhuma conta conectada',
    lastSeen: 'Última conexão',
    never: 'Nunca',
    unknown: 'Desconhecido',
    historyBegins: 'Carregando mensagens do seu celular…',
    historyLoading: (n: number) => `Carregando mensagens do seu celular: ${number(n)} até agora…`,
    historyLoaded: (n: number) => `${count(n, 'mensagem carregada', 'mensagens carregadas')} do seu celular.`,
    reconnects: 'Reconexões',
    platform: 'Celular',
    session: {
      connecting: 'Conectando…',
      pairing: 'Aguardando você escanear o QR code ou inserir o código de pareamento',
      passkey_required: 'O WhatsApp precisa da sua chave de acesso para conectar este dispositivo',
      open: 'Conectado e pronto para enviar',
      reconnecting: 'Conexão perdida. Reconectando…',
      closed: 'Não conectado',
    },
    restart: 'Reiniciar',
    restarted: 'O dispositivo está reiniciando.',
    disconnect: 'Desconectar',
    disconnectTitle: 'Desconectar este dispositivo?',
    disconnectText:
      'Isso desconecta o dispositivo da conta, e será preciso pareá-lo novamente. As mensagens e os eventos são mantidos.',
    disconnected: 'Dispositivo desconectado.',
    remove: 'Excluir',
    removeTitle: (name: string) => `Excluir “${name}”?`,
    removeText:
      'Isso desconecta o dispositivo e exclui permanentemente suas mensagens, seus eventos e suas entregas. Não é possível desfazer.',
    removed: 'Dispositivo excluído.',
    name: 'Nome',
    saved: 'Salvo.',
    activeHint:
      'Um dispositivo inativo permanece vinculado à conta, mas não se conecta e não conta para o seu limite de dispositivos. O WhatsApp desvincula um dispositivo que fica 30 dias sem se conectar.',
    deactivate: 'Desativar',
    activate: 'Ativar',
    danger: 'Desconectar ou excluir',
  },
  presence: {
    title: 'Presença e chamadas',
    online: 'Aparecer online',
    readReceipts: 'Enviar confirmações de leitura',
    rejectCalls: 'Recusar chamadas',
    callAnswer: 'Responder a quem liga com esta mensagem (opcional)',
    hints: {
      online:
        'Quando desativado, os remetentes veem um tique até o celular ficar online. Quando ativado, eles veem dois tiques e “online”, e o celular pode não notificar você sobre novas mensagens.',
      readReceipts:
        'Quando ativado, os remetentes veem que suas mensagens foram lidas assim que você abre a conversa aqui.',
      rejectCalls: 'Quando ativado, as chamadas recebidas são recusadas em todos os dispositivos da conta.',
    },
  },
  kept: {
    title: 'Mensagens e mídia',
    history: 'Mensagens a carregar do celular no próximo pareamento',
    historyHint: 'Elas aparecem nas conversas e não disparam webhooks.',
    histories: { none: 'Nenhuma', recent: 'Mensagens recentes', full: 'Tudo o que o celular enviar' },
    media: 'Mídia das mensagens recebidas',
    mediaHint:
      'O WhatsApp exclui os arquivos após algumas semanas. Os arquivos guardados duram tanto quanto as mensagens e ocupam espaço em disco do Handset.',
    medias: { network: 'Baixar do WhatsApp ao abrir', kept: 'Baixar e guardar' },
  },
  proxy: {
    title: 'Servidor proxy',
    none: 'O dispositivo se conecta diretamente ao WhatsApp.',
    now: (url: string) => `O dispositivo se conecta por ${url}.`,
    url: 'URL do proxy',
    hint: 'Por exemplo, socks5://usuario:senha@proxy.example.com:1080, ou com http ou https. Ela é armazenada criptografada, e o usuário e a senha nunca mais são mostrados.',
    remove: 'Conectar diretamente',
  },
  limits: {
    title: 'Limites',
    none: 'Esta conta não tem restrições.',
    until: (when: string) => `A restrição termina em ${when}.`,
    advice: 'Até lá, responda apenas a quem escrever para você. Não inicie novas conversas.',
    newChats: (used: number | null, limit: number) =>
      used === null
        ? `Você pode iniciar até ${count(limit, 'nova conversa', 'novas conversas')}.`
        : `${number(used)} de ${count(limit, 'nova conversa iniciada', 'novas conversas iniciadas')}.`,
    newChatsLabel: 'Novas conversas',
    resets: (when: string) => `A contagem recomeça em ${when}.`,
    ceiling: 'Novas conversas por dia',
    ceilingHint:
      'Mensagens que iniciariam mais conversas são recusadas. Deixe em branco para não ter limite. Um limite baixo ajuda a proteger uma conta nova de restrições.',
    stopWords: 'Palavras de opt-out',
    stopWordsHint:
      'Uma por linha, por exemplo SAIR. Quem enviar exatamente uma delas em uma conversa privada é adicionado a:',
  },
};
