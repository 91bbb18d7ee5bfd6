import { BoxIcon } from '../ui/icons';
import { href, Link } from '../router';
import { PageHead, Panel } from '../ui/page';
import { Empty } from '../ui/states';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Not found" />
      <Panel>
        <Empty icon={<BoxIcon size={26} />} title="This page does not exist" action={<Link to={href('/')}>All products</Link>}>
          The address may be mistyped, or the page was removed.
        </Empty>
      </Panel>
    </>
  );
}
