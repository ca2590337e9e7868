// Failure mechanisms of connections, names, certificates, authentication and permissions.

import type { Mechanism } from "./mechanism.ts";

export const NETWORK_MECHANISMS: readonly Mechanism[] = [
  {
    name: "network-failure",
    label: "the network fails",
    broader: [],
    symptom: true,
    phrases: {
      likely: `network error|failure|problem|issue|outage|down|instability, {cannot} connect|reach|establish|dial
        connection {failed}, connectivity, econnaborted`,
      hint: "unreachable, disconnected, connect fail",
    },
  },
  {
    name: "timed-out",
    label: "a request timed out",
    broader: [],
    symptom: true,
    phrases: {
      likely: `timed out, timeout expired|exceeded|error|exception|after, deadline exceeded, took too long, giving up after`,
      hint: "timeout, deadline, no response|reply|answer",
    },
  },
  {
    name: "connection-refused",
    label: "a connection was refused",
    broader: ["network-failure"],
    symptom: true,
    phrases: {
      sure: `econnrefused, refused connection|connect, connection|connect|dial * refused, actively refused
        nothing|not|nobody listening`,
    },
  },
  {
    name: "connection-reset",
    label: "a connection was cut",
    broader: ["network-failure"],
    symptom: true,
    phrases: {
      sure: `connection * reset, econnreset, reset peer, broken pipe, epipe, socket hang up, forcibly closed, unexpected eof
        gone away, lost connection, connection * lost|aborted|dropped|severed
        connection closed unexpectedly|remote|server|peer|before|foreign
        server|remote|peer|backend|client * closed * connection, premature close, {sqlstate} 57p01|08006
        terminated connection`,
      likely: `connection closed, closed * connection, eof, stream closed|reset|error, disconnects, loses connection`,
    },
  },
  {
    name: "idle-connection-closed",
    label: "one side closes idle connections that the other still uses",
    broader: ["connection-reset"],
    phrases: {
      sure: `idle {timeout}|closed|minutes|connections|reset|dropped|reaped
        keepalive|keep-alive & {timeout}|mismatch|race|time|shorter|longer|interval, after * pause|quiet|idle
        first call|request after, reused connection, unexpectedly closed * connection, stale connection
        sporadic|intermittent|random|occasional 502|reset|connection, maxlifetime, last activity, validate connection`,
      likely: "sporadic",
    },
  },
  {
    name: "connection-timed-out",
    label: "a connection could not be opened in time",
    broader: ["network-failure", "timed-out"],
    symptom: true,
    phrases: {
      sure: `connection|connect * {timeout}, etimedout, dial * {timeout}, io timeout, handshake {timeout}
        syn sent|timeout|retries|recv, {timeout} connecting`,
      likely: "{timeout} * connection",
    },
  },
  {
    name: "no-route",
    label: "there is no route to a host",
    broader: ["network-failure"],
    phrases: {
      sure: `no route, ehostunreach, enetunreach, network|host|destination|net & unreachable
        bgp & down|flap|idle|lost|session|withdrawn`,
    },
  },
  {
    name: "packet-loss",
    label: "packets are lost",
    broader: ["network-failure"],
    phrases: {
      sure: `packet & loss|lost|dropped, retransmission|retransmit|retrans, crc errors, rx|tx errors|dropped, loss snt`,
      likely: "link|interface * flap, jitter",
    },
  },
  {
    name: "link-down",
    label: "a network link is down",
    broader: ["network-failure"],
    phrases: {
      sure: "link|interface|tunnel|uplink|vpn|ipsec|ike & down|flap|{failed}|lost, no carrier, dead peer",
    },
  },
  {
    name: "mtu-mismatch",
    label: "packets are larger than the path allows",
    broader: ["packet-loss"],
    phrases: {
      sure: `mtu, pmtu, fragmentation needed, need frag, message too long, df set, packet too big, jumbo frame, mss clamp`,
      likely: `frag, mss, large|big|small packets|requests|responses|uploads|payloads|ones & hang|work|stall|fail|fine|through`,
      hint: "tunnel|vpn|overlay|vxlan",
    },
  },
  {
    name: "ports-exhausted",
    label: "ports or connection tracking ran out",
    broader: ["resource-exhausted", "network-failure"],
    phrases: {
      sure: `assign requested address, eaddrnotavail, ephemeral port, port & {exhausted}
        conntrack & full|exhausted|dropping|limit|max, table full dropping, port allocation`,
      likely: "conntrack, time wait sockets|connections",
    },
  },
  {
    name: "port-in-use",
    label: "a port is already in use",
    broader: [],
    phrases: {
      sure: `address already use, eaddrinuse, port * in-use|already|taken|occupied|conflict, {cannot} bind * port|address`,
      likely: "{cannot} bind|listen",
    },
  },
  {
    name: "addresses-exhausted",
    label: "a network has no free addresses",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `ip|ips|address|cidr|subnet|lease|dhcp|ipam & exhausted|exhaustion|depleted|no-free|not-enough|ran-out
        no * ip|ips|addresses|leases available|left|free, subnet * full|free-addresses, {cannot} allocate|assign * ip|address
        insufficient free addresses, out ip|addresses`,
    },
  },
  {
    name: "name-not-found",
    label: "a host name does not resolve",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: `no such host|domain, nxdomain, enotfound, name|service not known, UnknownHost, nodename nor servname, name not resolve
        host|hostname|domain not found, not translate host name, no dns record, resolve * not found`,
    },
  },
  {
    name: "name-resolution-failed",
    label: "name resolution fails",
    broader: ["network-failure"],
    phrases: {
      sure: `{cannot} * resolve * host|hostname|name|address|domain, name|dns|hostname|host resolution|lookup {failed}
        {cannot} * name resolution, dns {failed}`,
      likely: `getaddrinfo, gaierror, {cannot} resolve|lookup, lookup errors, dns & problem|issue|broken|outage|down, name resolution
        unreachable name, nslookup, nameserver, resolv conf, dns server, search domain`,
      hint: "dns, lookup, resolver",
    },
  },
  {
    name: "resolver-failing",
    label: "the name server does not answer",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: `temporary failure * name resolution, eai again, servfail, server misbehaving, lookup * {timeout}
        dns|resolver|nameserver|name-server & {timeout}|{down}|overloaded|slow|latency|refused|stopped, no * servers reached`,
    },
  },
  {
    name: "dns-record-stale",
    label: "a name points to an old address",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: `dns|record|resolver|resolved|ip|hostname & stale|outdated, dns cache, points|resolves * old|wrong|previous
        old|stale|previous ip|address`,
    },
  },
  {
    name: "tls-failure",
    label: "a TLS handshake fails",
    broader: [],
    phrases: {
      sure: "handshake {bad}, HandshakeException, ssl|tls & {failed}|alert|exception|cannot",
      likely: "certificate & {bad}|required, client certificate, x509 certificate",
      hint: "x509, ssl, tls",
    },
  },
  {
    name: "tls-expired",
    label: "a certificate has expired",
    broader: ["tls-failure"],
    phrases: {
      sure: `{certificate}|crl|chain & expired, {certificate} * not yet valid|outside-validity|renewed|lapsed
        {certificate} date invalid, {cannot} renew certificate, {certificate} expiry`,
      likely: "expires residual",
      hint: "certificate|cert & renewal|renew|dates, not after",
    },
  },
  {
    name: "tls-untrusted",
    label: "a certificate is not trusted",
    broader: ["tls-failure"],
    phrases: {
      sure: `unknown authority|ca|issuer, self signed, issuer certificate|cert, get issuer, unable verify first|leaf
        certificate verify|verification failed, {certificate}|issuer|root|chain * not trusted|verified, pkix path
        certification path, incomplete|broken|invalid|partial|missing * chain|intermediate, trust store|anchor|manager
        truststore, certificate unknown, invalid peer certificate, ca bundle|file|certificates`,
      likely: "root ca, issuing ca, cacerts, keystore",
      hint: "issuer",
    },
  },
  {
    name: "tls-name-mismatch",
    label: "a certificate is for another name",
    broader: ["tls-failure"],
    phrases: {
      sure: `{certificate} valid * not, altname, subject alternative, hostname|host-name|domain|name|subject mismatch
        {certificate} & not-match|mismatch|not-cover|wrong-host|wrong-name, common name invalid, no ip sans`,
    },
  },
  {
    name: "tls-protocol-mismatch",
    label: "client and server have no common TLS version",
    broader: ["tls-failure"],
    phrases: {
      sure: `wrong version number, unsupported protocol, alert protocol version
        tls|ssl version|protocol * unsupported|mismatch|not-supported|disabled|old|low
        no * cipher|protocols|algorithm shared|common|overlap|match, cipher mismatch, no shared cipher, not look like * tls
        cipher suites`,
    },
  },
  {
    name: "certificate-not-renewed",
    label: "a certificate or key was not rotated",
    broader: [],
    phrases: {
      sure: `renewal & {bad}, {cannot} renew, acme-challenge|challenge & {failed}|pending|invalid
        rotated|rotation & certificate|cert|key|secret|password|credential, old|previous password|secret|key`,
      hint: "renewed",
    },
  },
  {
    name: "authentication-failed",
    label: "authentication failed",
    broader: [],
    phrases: {
      sure: `authentication|auth|authenticate|login|logon|sasl|credentials {failed}|denied|rejected|refused|required|unsuccessful
        {cannot} authenticate|login|log-in, invalid|wrong|bad|incorrect {credential}|login|username, access denied user
        unauthorized, unauthenticated, {status} 401, {sqlstate} 28p01|28000, wrongpass, noauth
        password & incorrect|wrong|rejected|mismatch, key|credentials * revoked|rejected|not-valid|invalid, invalid client
        permission denied publickey`,
      likely: "login|sso|saml|oidc|authentication & problem|broken|down",
    },
  },
  {
    name: "token-expired",
    label: "a token or credential has expired",
    broader: ["authentication-failed"],
    phrases: {
      sure: `{credential}|session|jwt|lease|login & expired, invalid grant, token revoked
        refresh token * invalid|{failed}|rejected, {cannot} refresh * token|credentials`,
      likely: "token|password|secret|credentials|key expiry|expiration, reauthenticate",
    },
  },
  {
    name: "signature-mismatch",
    label: "a signature does not match",
    broader: ["authentication-failed"],
    phrases: {
      sure: "signature|hmac|kid|gpg|csrf & {bad}|not-match|verify|verification, signing key, jwks",
    },
  },
  {
    name: "access-denied",
    label: "access was denied",
    broader: [],
    symptom: true,
    phrases: {
      likely: `access|permission denied, accessdenied, forbidden, not authorized|authorised|permitted|allowed, {status} 403
        PermissionError, no|insufficient permission|rights|access, authorization {failed}`,
      hint: "denied, permission",
    },
  },
  {
    name: "file-permission-denied",
    label: "a process may not use a file",
    broader: ["access-denied"],
    phrases: {
      sure: `eacces, eperm, open|mkdir|unlink|rename|write|create|read|exec|bind * permission denied, operation not permitted
        permission denied * file|directory|path|var|etc|data|tmp|usr|home, not writable, wrong owner|uid|gid|permissions
        avc denied, errno 13`,
    },
  },
  {
    name: "role-permission-missing",
    label: "a role lacks a permission",
    broader: ["access-denied"],
    phrases: {
      sure: `not authorized|authorised perform|view|operation|access
        cannot get|list|create|watch|update|patch|delete * resource|api-group|namespace
        missing|lacks|without|requires|needs|insufficient * permission|role|scope|privilege, identity based policy
        explicit deny, not * permission|role, role|iam|rbac|permission|scope & missing|denied|removed|forbidden|revoked
        AuthorizationFailed, forbidden user`,
    },
  },
  {
    name: "database-privilege-missing",
    label: "a database user lacks a privilege",
    broader: ["access-denied"],
    phrases: {
      sure: `permission denied * {table}, command denied * user, {sqlstate} 42501, insufficient privilege
        privileges * table|database|schema`,
    },
  },
  {
    name: "address-not-allowed",
    label: "an address is not allowed",
    broader: ["access-denied"],
    phrases: {
      sure: `no * entry host, host|address|ip|client|source & not-permitted|banned|denylisted|blocklisted
        blocked ip|address|client|source, not * allowlist|whitelist
        firewall|acl|nftables|iptables & {denied}|drop|rule|missing|changed, security group, network policy, networkpolicy
        default deny, egress|ingress & {denied}|policy|rule, policy & dropped|verdict|denied, flow logs
        host|address|ip|client * not allowed`,
      likely: "ingress, egress, netpol",
      hint: "firewall, allowlist, subnet",
    },
  },
  {
    name: "cross-origin-blocked",
    label: "a browser blocks a request to another origin",
    broader: ["access-denied"],
    phrases: {
      sure: `cors, content security policy, mixed content, no access control allow origin, access control allow origin`,
    },
  },
];
