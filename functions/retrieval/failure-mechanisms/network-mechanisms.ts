// Failure mechanisms of connections, names, certificates, authentication and permissions.

import type { Mechanism } from "./mechanism.ts";

export const NETWORK_MECHANISMS: readonly Mechanism[] = [
  {
    name: "network-failure",
    label: "the network fails",
    broader: [],
    phrases: {
      likely:
        "network error|failure|problem|issue|outage|down|instability, {cannot} connect|reach|establish|dial, connection {failed}, econnaborted, connectivity",
      hint: "unreachable, disconnected, connect fail",
    },
  },
  {
    name: "timed-out",
    label: "a request timed out",
    broader: [],
    phrases: {
      likely:
        "{timeout}, deadline exceeded, not * respond|reply|answer * time|within|seconds, took too long, request|operation aborted|cancelled|canceled * {timeout}",
      hint: "deadline, no response|reply|answer",
    },
  },
  {
    name: "connection-refused",
    label: "a connection was refused",
    broader: ["network-failure"],
    phrases: {
      sure: "connection|connect refused, econnrefused, refused connection|connect, refused to connect, actively refused, connection * refused, dial * refused, ConnectionRefusedError, nothing|not|nobody listening",
    },
  },
  {
    name: "connection-reset",
    label: "a connection was cut",
    broader: ["network-failure"],
    phrases: {
      sure: `connection * reset, econnreset, reset by peer, broken pipe, epipe, socket hang up, forcibly closed, unexpected eof, has gone away, lost connection
        connection * lost|aborted|dropped|terminated, connection closed unexpectedly|remote|server|peer|before|foreign, server|remote|peer|backend closed * connection
        closed connection unexpectedly|without, terminated|terminating connection, premature close, unexpected end stream, EOFException, tcp rst, {sqlstate} 57p01|08006, connection * severed`,
      likely:
        "connection closed, closed connection, connection closing, eof, goaway, stream closed|reset|error, transport closing, disconnects, idle connection",
    },
  },
  {
    name: "connection-timed-out",
    label: "a connection could not be opened in time",
    broader: ["network-failure", "timed-out"],
    phrases: {
      sure: "connection|connect|connecting * {timeout}, etimedout, {timeout} connecting|connect, dial * {timeout}, io timeout, handshake {timeout}, timed out connect, syn sent",
      likely: "{timeout} * connection|connecting",
    },
  },
  {
    name: "no-route",
    label: "there is no route to a host",
    broader: ["network-failure"],
    phrases: {
      sure: `no route host, ehostunreach, enetunreach, network|host|destination * unreachable, unreachable network|host|destination, no route, missing|withdrawn|wrong|blackhole route
        route * missing|withdrawn|blackhole|leak|removed, route|routing table, routing loop, bgp & down|flap|idle|lost|session|withdrawn, peering & down|lost, ttl exceeded transit`,
      likely: "routing, peering, routes",
    },
  },
  {
    name: "packet-loss",
    label: "packets are lost",
    broader: ["network-failure"],
    phrases: {
      sure: "packet & loss|lost|dropped|drops|dropping|drop, retransmission|retransmit|retransmits|retransmitting, crc errors, duplex mismatch, rx|tx errors|dropped|drops",
      likely: "flapping link|interface, link|interface * flap|flapping, jitter, congestion, lossy",
    },
  },
  {
    name: "link-down",
    label: "a network link is down",
    broader: ["network-failure"],
    phrases: {
      sure: "link|interface|tunnel|uplink|trunk|vpn * down|flap|flapping, no carrier, carrier lost|loss, fiber|cable cut|unplugged, loss of signal, ike|ipsec failed|down|mismatch, dead peer detection",
    },
  },
  {
    name: "mtu-mismatch",
    label: "packets are larger than the path allows",
    broader: ["network-failure"],
    phrases: {
      sure: "mtu, pmtu, pmtud, fragmentation needed, message too long, emsgsize, df set, packet too big, jumbo frame|frames",
    },
  },
  {
    name: "ports-exhausted",
    label: "ports or connection tracking ran out",
    broader: ["resource-exhausted", "network-failure"],
    phrases: {
      sure: `assign requested address, eaddrnotavail, ephemeral port|ports, snat & port|exhausted|exhaustion, port & {exhausted}, out of * ports, no * ports available|free|left
        conntrack & full|exhausted|dropping|limit|max, table full dropping packet, nat|gateway & port-allocation, port allocation errors|error, too many * time wait`,
      likely: "time wait, conntrack",
    },
  },
  {
    name: "port-in-use",
    label: "a port is already in use",
    broader: [],
    phrases: {
      sure: "address already in use, eaddrinuse, port * in use|already|taken|occupied, {cannot} bind|listen, only one usage socket, port conflict|collision, bind address already, already listening",
    },
  },
  {
    name: "addresses-exhausted",
    label: "a network has no free addresses",
    broader: ["resource-exhausted"],
    phrases: {
      sure: `ip|ips|address|addresses|cidr|subnet|lease|leases|dhcp|ipam & exhausted|exhaustion|depleted|no-free|not-enough|ran-out, no * ip|ips|addresses|leases available|left|free, subnet * full|free-addresses
        {cannot} allocate|assign * ip|address|addresses, insufficient free addresses, out of ip|ips|addresses, address|ip pool|range full|exhausted, no free leases|ips|addresses, duplicate|conflicting ip|address`,
    },
  },
  {
    name: "name-not-found",
    label: "a host name does not resolve",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: `no such host, nxdomain, enotfound, name or service not known, unknown host, unknownhost, UnknownHostException, nodename nor servname, name not resolved, err name not resolved
        no address associated, host|hostname|domain * not found, name does not resolve, not translate host name, not known host, no dns record, dns record * {missing}, no such domain|name`,
    },
  },
  {
    name: "name-resolution-failed",
    label: "name resolution fails",
    broader: ["network-failure"],
    phrases: {
      sure: "{cannot} * resolve * host|hostname|name|address|domain, name|dns|hostname|host resolution|lookup {failed}, resolve|resolving|resolution host|hostname|name failed, {cannot} * name resolution, dns {failed}",
      likely:
        "getaddrinfo, gaierror, {cannot} resolve|lookup, failed lookup, dns & problem|issue|broken|outage|misconfigured, name resolution",
      hint: "dns, lookup",
    },
  },
  {
    name: "resolver-failing",
    label: "the name server does not answer",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: `temporary failure * name resolution, eai again, servfail, server misbehaving, lookup * {timeout}, dns|resolver|nameserver|nameservers & {timeout}|unreachable|overloaded|slow|latency|unavailable|not-responding|refused
        no * servers could be reached, no servers reached, no nameservers, name server|servers unreachable|down|not-responding, all nameservers|resolvers failed, try again later resolving`,
    },
  },
  {
    name: "dns-record-stale",
    label: "a name points to an old address",
    broader: ["name-resolution-failed"],
    phrases: {
      sure: "dns|record|resolver|resolved|ip|hostname & stale|outdated|old-ip|old-address, dns cache|cached|caching, points|pointing|resolves|resolving|resolved * old|wrong|previous, old|stale|previous ip|address|addresses, dns & propagation|ttl, wrong record",
    },
  },
  {
    name: "tls-failure",
    label: "a TLS handshake fails",
    broader: [],
    phrases: {
      sure: "tls|ssl * handshake|negotiation {failed}, handshake {failed}, HandshakeException, sslerror, ssl|tls {failed}|alert|exception, {cannot} * tls|ssl, err ssl",
      likely:
        "x509, certificate {failed}|problem|error|invalid|rejected, bad certificate, invalid certificate, certificate required, client certificate",
    },
  },
  {
    name: "tls-expired",
    label: "a certificate has expired",
    broader: ["tls-failure"],
    phrases: {
      sure: "certificate|cert|certs|ca|crl|chain * expired, expired * certificate|cert|certs|ca|crl, certificate * not yet valid|outside-validity, cert|certificate date invalid, err cert date invalid, {cannot} renew certificate, certificate * not renewed|lapsed",
      likely: "certificate|cert expires|expiring|expire|expiry, certificate|cert will expire",
      hint: "certificate|cert & renewal|renew|renewed",
    },
  },
  {
    name: "tls-untrusted",
    label: "a certificate is not trusted",
    broader: ["tls-failure"],
    phrases: {
      sure: `unknown authority|ca|issuer, self signed, local issuer certificate, unable verify first certificate, leaf signature, certificate verify|verification failed, untrusted certificate|root|issuer|ca|cert
        certificate|ca|issuer|root * not|isn trusted, pkix path, valid certification path, incomplete|broken|invalid * chain, chain incomplete|broken|not-trusted, missing intermediate, intermediate * missing, trust store|anchor|anchors
        partial chain|PartialChain, UntrustedRoot, UnknownIssuer, invalid peer certificate, err cert authority invalid, ca bundle|certificate missing|unknown|old|wrong, remote certificate invalid`,
    },
  },
  {
    name: "tls-name-mismatch",
    label: "a certificate is for another name",
    broader: ["tls-failure"],
    phrases: {
      sure: `certificate valid for * not, altname|altnames, subject alternative, alternative certificate subject, alternative dns name, hostname|host-name|domain|name|subject mismatch, certificate * not match|cover|contain|valid-for|include
        hostname|host * not match * certificate|cert, mismatch * certificate, common name invalid|mismatch, NotValidForName, cert * wrong|different host|domain|name|hostname, relies legacy common name, {cannot} validate certificate, no ip sans, RemoteCertificateNameMismatch`,
    },
  },
  {
    name: "tls-protocol-mismatch",
    label: "client and server have no common TLS version",
    broader: ["tls-failure"],
    phrases: {
      sure: `wrong version number, unsupported protocol, protocol version, tls|ssl version|versions|protocol * unsupported|mismatch|not-supported|disabled|old|low, no * cipher|ciphers|protocols shared|common|overlap, no shared cipher, cipher mismatch
        not look like * tls, plain http request, http request sent * https, http response https client, dh key too small, inappropriate fallback, tlsv1, no protocols available, no common cipher|protocol|algorithm, cipher suites, wrong ssl version, packet length too long ssl, invalid tls record, no matching key exchange|cipher|host-key`,
    },
  },
  {
    name: "certificate-not-renewed",
    label: "a certificate or key was not rotated",
    broader: [],
    phrases: {
      sure: "renewal & failed|failing|failure|error|stuck|stopped, {cannot} renew, acme|challenge|http-01|dns-01 & failed|failing|failure|pending|invalid, rotated|rotation & certificate|cert|key|secret|password|credential, certificate * not reloaded|renewed|issued, certificate|cert * still old|cached|loaded",
      hint: "rotation, rotated, renewed, reissued",
    },
  },
  {
    name: "authentication-failed",
    label: "authentication failed",
    broader: [],
    phrases: {
      sure: `authentication|auth|authenticate|login|logon|sasl {failed}, {cannot} authenticate|login|log-in, invalid|wrong|bad|incorrect credentials|credential|password|username|login|api-key|apikey|key-id|token|access-token|client-secret, access denied for user
        unauthorized, unauthorised, unauthenticated, not authenticated, {status} 401, {sqlstate} 28p01|28000, wrongpass, noauth, authentication required|error|unsuccessful, password * incorrect|wrong|rejected|mismatch, credentials * rejected|invalid|revoked, key * revoked|not-valid|invalid|not-recognized
        login * denied|rejected|refused, user unknown password, permission denied publickey, invalid client, AuthenticationError, security token * invalid`,
      likely: "credentials|login|authentication|sso|saml|oidc & problem|broken|denied, cannot log in, logged out",
    },
  },
  {
    name: "token-expired",
    label: "a token or credential has expired",
    broader: ["authentication-failed"],
    phrases: {
      sure: "token|jwt|session|credential|credentials|key|password|secret|saml|assertion|lease * expired, expired * token|jwt|session|credentials|credential|key|password|secret|lease, ExpiredToken, TokenExpired, TokenExpiredError, invalid grant, jwt expiry, exp claim, refresh token * invalid|expired|failed|revoked|rejected, {cannot} refresh * token|credentials",
      likely: "token|password|secret|credentials|key expires|expiring|expiry|expiration",
    },
  },
  {
    name: "signature-mismatch",
    label: "a signature does not match",
    broader: ["authentication-failed"],
    phrases: {
      sure: "signature|hmac|signatures & mismatch|invalid|not-match|not-matched|verification|verify|rejected|wrong|bad|unknown, SignatureDoesNotMatch, BadSignature, jwsinvalid, kid & unknown|no-matching|not-found|unable, signing key|keys, jwks, gpg error|signatures, no pubkey, nopubkey, csrf & mismatch|invalid|failed|missing|token",
    },
  },
  {
    name: "access-denied",
    label: "access was denied",
    broader: [],
    phrases: {
      likely:
        "access denied, accessdenied, permission|permissions denied, forbidden, not authorized|authorised|permitted|allowed, {status} 403, PermissionError, unauthorized operation, authorization {failed}, no permission, insufficient permission|permissions|rights|access",
      hint: "denied, permission, permissions",
    },
  },
  {
    name: "file-permission-denied",
    label: "a process may not use a file",
    broader: ["access-denied"],
    phrases: {
      sure: `eacces, eperm, open|mkdir|opendir|unlink|rename|chown|chmod|stat|touch|rm|cp|ls|write|create|read|exec|bind * permission denied, operation not permitted, {cannot} open|create|write|read|access|execute * permission denied
        permission denied * file|directory|path|dir|var|etc|data|tmp|opt|usr|home, directory|file|path * not writable, not writable, wrong owner|ownership|uid|gid|permissions, owned|ownership & root|wrong|uid, unprotected private key, permissions * too open, AccessDeniedException file, avc denied, file permissions, errno 13`,
    },
  },
  {
    name: "role-permission-missing",
    label: "a role lacks a permission",
    broader: ["access-denied"],
    phrases: {
      sure: `not authorized|authorised perform|access|view|operation, cannot get|list|create|watch|update|patch|delete|impersonate * resource|api-group|namespace, missing|lacks|lack|without|requires|needs|need * permission|permissions|role|scope|privilege|grant, insufficient * permissions|scope|privileges|scopes|authentication-scopes
        identity based policy, explicit deny, does not have * permission|permissions|access|role, accessdenied|access-denied exception, role|iam|rbac|policy & missing|denied|removed|forbidden|revoked, permission|role|scope * missing|removed|revoked|required, UnauthorizedOperation, assume role|assumerole, caller not have, AuthorizationFailed, PermissionDenied desc`,
      likely: "user * forbidden, forbidden user, {status} 403, rpc error permission denied",
    },
  },
  {
    name: "database-privilege-missing",
    label: "a database user lacks a privilege",
    broader: ["access-denied"],
    phrases: {
      sure: "permission denied * relation|table|schema|database|function|sequence|view|column, command denied * user, must be owner|superuser|member, {sqlstate} 42501, insufficient privilege, permission * denied object, privileges * table|database|schema, grant * select|insert|usage|privilege, not authorized on * execute|command, no permissions run",
    },
  },
  {
    name: "address-not-allowed",
    label: "an address is not allowed",
    broader: ["access-denied"],
    phrases: {
      sure: `no * entry for host, host|address|ip|client|addresses|ips * not allowed|allowlisted|whitelisted|permitted|authorized, not * allowlist|allow-list|whitelist, firewall & blocked|blocks|blocking|drop|drops|dropped|deny|denied|rule|rules, security group|groups, blocked * firewall|acl|address|ip|network-policy
        network policy|policies, networkpolicy, ip|address|ips & blocked|banned|blacklisted|denylisted|blocklisted, access control list, acl & denied|deny|blocked|missing, administratively prohibited, not allowed to connect`,
      hint: "firewall, allowlist, whitelist",
    },
  },
  {
    name: "cross-origin-blocked",
    label: "a browser blocks a request to another origin",
    broader: ["access-denied"],
    phrases: {
      sure: "cors, cross origin, access control allow origin, no access control allow, content security policy, mixed content",
    },
  },
];
