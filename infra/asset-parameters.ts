import {
  CfnParameter,
  Fn,
  FileAssetPackaging,
  StackSynthesizer,
  type FileAssetLocation,
  type FileAssetSource,
  type ISynthesisSession,
} from 'aws-cdk-lib';

/** The parameters of a template that say where its assets are. */
export const ASSETS_BUCKET = 'AssetsBucket';
export const ASSETS_PREFIX = 'AssetsPrefix';

/**
 * Synthesizes a stack for accounts that are not prepared for the CDK. The template has no parameter or rule of the CDK. Whoever creates the
 * stack first uploads the assets to any bucket in its region, and names the bucket and the prefix in two parameters.
 */
export class AssetParameters extends StackSynthesizer {
  /** The folder of each asset in the cloud assembly, by the name of its object without the prefix. */
  readonly assets = new Map<string, string>();

  /** @param prefix the default of the parameter with the prefix */
  constructor(private readonly prefix: string) {
    super();
  }

  /** Adds the parameters to the stack. */
  override bind(...[stack]: Parameters<StackSynthesizer['bind']>): void {
    super.bind(stack);
    new CfnParameter(stack, ASSETS_BUCKET, {
      description: 'The name of the bucket that contains the files of the functions. It must be in the region of the stack.',
      minLength: 3,
    });
    new CfnParameter(stack, ASSETS_PREFIX, {
      description: 'The beginning of the names of these files in the bucket: empty, or a text that ends with /.',
      default: this.prefix,
      allowedPattern: '^(.*/)?$',
    });
  }

  override addFileAsset({ fileName, packaging, sourceHash }: FileAssetSource): FileAssetLocation {
    if (fileName === undefined || packaging !== FileAssetPackaging.ZIP_DIRECTORY)
      throw new Error(`The asset ${sourceHash} is not the folder of a function`);
    const name = `${sourceHash}.zip`;
    this.assets.set(name, fileName);
    const [bucketName, objectKey] = [Fn.ref(ASSETS_BUCKET), Fn.join('', [Fn.ref(ASSETS_PREFIX), name])];
    return { bucketName, objectKey, httpUrl: '', s3ObjectUrl: `s3://${bucketName}/${objectKey}` };
  }

  override addDockerImageAsset(): never {
    throw new Error('The stack has no images');
  }

  override synthesize(session: ISynthesisSession): void {
    this.synthesizeTemplate(session);
    this.emitArtifact(session);
  }
}
