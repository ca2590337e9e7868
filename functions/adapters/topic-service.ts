// The service whose topics deliver alerts, and the addresses of it that may be called.

/** The service whose topics deliver messages. */
export interface TopicService {
  /** Whether the service signed the text. @throws DependencyError when its certificate cannot be read */
  isSigned(message: SignedMessage): Promise<boolean>;
  /** Confirms a subscription. @throws DependencyError */
  confirm(address: string): Promise<void>;
}

export interface SignedMessage {
  readonly text: string;
  readonly version: "1" | "2";
  /** In Base64. */
  readonly signature: string;
  /** The address of the certificate. */
  readonly certificate: string;
}

const TOPIC_HOST = /^sns\.[a-z0-9-]{4,30}\.amazonaws\.com(?:\.cn)?$/;

/** Whether an address is on a server of SNS. No other address in a message is called. */
export function isTopicServiceUrl(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port, username, password } = new URL(address);
  return protocol === "https:" && TOPIC_HOST.test(hostname) && port === "" && username === "" && password === "";
}

/** Whether a certificate may be read from this address. */
export function isCertificateUrl(address: string): boolean {
  return isTopicServiceUrl(address) && /^\/[\w.-]{1,200}\.pem$/.test(new URL(address).pathname);
}
