/** Where a secret stands: never the secret itself. */
export type SecretPlace =
  /** An environment variable. */
  | { readonly kind: 'env'; readonly name: string }
  /** A file that holds nothing else, such as a secret of Docker or Kubernetes; absolute. */
  | { readonly kind: 'file'; readonly path: string };

interface NamedCredential {
  /** What a request or a definition calls it. */
  readonly name: string;
  /** What it may write to, @see isAllowed; null: anything that it can reach. Never null on a server. */
  readonly allow: readonly string[] | null;
  /** Under which everybody finds the root of the bucket, with a slash at its end; null: nobody does. */
  readonly publicUrl: string | null;
  /** Who may use it on a server; null: everybody. */
  readonly tenants: readonly string[] | null;
  /** Whether it is for destinations of its kind that name no credential, on a server. */
  readonly isDefault?: boolean;
}

/** For `s3://` and `gs://`, and for everything that speaks the interface of S3. */
export interface S3Credential extends NamedCredential {
  readonly kind: 's3' | 'gs';
  /** An http(s) URL without a slash at its end; null: that of Amazon, or of Google for `gs`. */
  readonly endpoint: string | null;
  /** Null: what the environment says, or `us-east-1` at an endpoint of one's own. */
  readonly region: string | null;
  /** Whether the bucket stands in the path of URLs, and not in their host. */
  readonly pathStyle: boolean;
  /** Null: whatever the AWS SDK finds (environment, profile, role of the machine). */
  readonly keys: {
    readonly accessKeyId: SecretPlace;
    readonly secretAccessKey: SecretPlace;
    readonly sessionToken: SecretPlace | null;
  } | null;
}

/** For `azblob://`. */
export interface AzureCredential extends NamedCredential {
  readonly kind: 'azblob';
  /** Of the account, without a slash at its end; null: `https://<account>.blob.core.windows.net`. */
  readonly endpoint: string | null;
  readonly accountKey: SecretPlace;
}

/** For `file:`. */
export interface FileCredential extends NamedCredential {
  readonly kind: 'file';
  readonly allow: readonly string[];
  /** Where relative paths start; absolute. */
  readonly directory: string;
}

/** The right to write somewhere, described without its secrets, so that it can stand in a file that everybody reads. */
export type Credential = S3Credential | AzureCredential | FileCredential;

export const CREDENTIAL_KINDS = ['s3', 'gs', 'azblob', 'file'] as const satisfies readonly Credential['kind'][];
