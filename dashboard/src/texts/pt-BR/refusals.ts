/** Errors of the API by their `Handset-Reason`. */

export const refusals = {
  refusals: {
    account_not_on_network: 'Esta conta não está no WhatsApp.',
    busy: 'Há muita coisa em andamento. Tente de novo em alguns segundos.',
    database_unavailable: 'O banco de dados não responde. Tente de novo em alguns segundos.',
    device_inactive: 'Este dispositivo está inativo. Ative-o primeiro.',
    device_limit_reached: 'Sua assinatura não permite mais dispositivos ativos.',
    device_moving: 'O dispositivo está mudando de nó. Tente de novo em alguns segundos.',
    device_not_found: 'Este dispositivo não existe.',
    disk_full: 'O disco do serviço está cheio. Tente mais tarde.',
    file_unknown: 'O arquivo enviado não está mais disponível. Tente de novo para enviá-lo outra vez.',
    group_not_writable: 'Você não pode escrever neste grupo: não é membro, ou só administradores escrevem.',
    lookup_limit_reached: 'Números novos demais foram consultados hoje. Tente amanhã.',
    node_lost: 'O serviço foi interrompido. Tente de novo em alguns segundos.',
    not_connected: 'Este dispositivo não está conectado.',
    not_linked: 'Escaneie o código QR primeiro: este dispositivo ainda não está vinculado.',
    number_not_on_network: 'Este número não está no WhatsApp. Confira o código do país.',
    opted_out: 'Este número está na sua lista de opt-outs. Remova-o da lista para enviar de novo.',
    payload_too_large: 'O arquivo é grande demais.',
    rate_limited: 'Solicitações demais. Tente de novo em um minuto.',
    request_running: 'Isto ainda está sendo enviado.',
    request_timeout: 'O WhatsApp ou a conexão demorou demais. Tente de novo.',
    send_unknown: 'Não se sabe se isto foi enviado.',
    unavailable: 'O Handset não pode fazer isto agora. Tente mais tarde.',
    upload_budget_exceeded: 'Você enviou arquivos demais em uma hora. Tente mais tarde.',
  },
};
