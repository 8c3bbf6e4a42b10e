// Which requests may have a body.

/** Decided by the method, not the headers: HTTP/2 bodies may have neither a length nor a type. */
export function mayHaveBody({ method }: { readonly method?: string | undefined }): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
