/** The certificate and the key of a daemon with TLS, checked before anything is started. */
import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { DaemonOptions } from "./options.js";

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Every error names the file: what OpenSSL says of it tells nobody which one is meant. */
export async function readTls({ certFile, keyFile }: NonNullable<DaemonOptions["tls"]>): Promise<TlsFiles> {
  const [cert, key] = [await readPem(certFile), await readPem(keyFile)];
  const certificate = parse(() => new X509Certificate(cert), `${certFile} holds no certificate in PEM`);
  const privateKey: KeyObject = parse(
    () => createPrivateKey(key),
    `${keyFile} holds no private key in PEM without a passphrase`,
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error(`the key in ${keyFile} is not that of the certificate in ${certFile}`);
  return { cert, key };
}

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new Error(`there is no file ${file}`) : error;
  }
}

function parse<T>(make: () => T, otherwise: string): T {
  try {
    return make();
  } catch {
    throw new Error(otherwise);
  }
}
