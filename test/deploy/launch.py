"""
Creates or updates a stack from the files of a launch archive, like somebody who uses CloudFormation's console. Uploads the files to a bucket
first. Usage: launch.py ENDPOINT REGION STACK BUCKET FOLDER PARAMETERS, with the parameters as JSON.
"""

import json
import sys
from pathlib import Path

import boto3
from botocore.config import Config

endpoint, region, stack, bucket, folder, parameters = sys.argv[1:]
# The emulator responds only when all resources exist.
patient = Config(read_timeout=600, retries={"total_max_attempts": 1})


def client(service: str):
    return boto3.client(service, region_name=region, endpoint_url=endpoint, config=patient, aws_access_key_id="test", aws_secret_access_key="test")


cloudformation, s3 = client("cloudformation"), client("s3")
s3.create_bucket(Bucket=bucket)
for file in Path(folder).iterdir():
    s3.upload_file(str(file), bucket, f"{Path(folder).name}/{file.name}")
given = {**json.loads(parameters), "AssetsBucket": bucket, "AssetsPrefix": f"{Path(folder).name}/"}
exists = any(found["StackName"] == stack for found in cloudformation.describe_stacks()["Stacks"])
(cloudformation.update_stack if exists else cloudformation.create_stack)(
    StackName=stack,
    TemplateURL=f"{endpoint}/{bucket}/{Path(folder).name}/template.json",
    Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
    Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
)
cloudformation.get_waiter("stack_update_complete" if exists else "stack_create_complete").wait(StackName=stack)
