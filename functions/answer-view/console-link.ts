// Addresses of pages of the console.

/** @param origin such as https://dejavu.example.com */
export function incidentLink(origin: string, incidentId: string): string {
  return `${origin}/console/incidents/${incidentId}`;
}

/** The list of incidents. */
export function incidentsLink(origin: string): string {
  return `${origin}/console/incidents`;
}

/** A link that signs in once. Browsers do not send the fragment, so no log has the code. */
export function signInLink(origin: string, code: string): string {
  return `${origin}/console#code=${code}`;
}
