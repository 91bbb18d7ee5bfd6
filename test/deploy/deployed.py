"""
Prints what a stack has created, as JSON, as the services of AWS describe it. Usage: deployed.py ENDPOINT REGION STACK
"""

import json
import sys
from typing import Any

import boto3

endpoint, region, stack = sys.argv[1:]


def client(service: str) -> Any:
    return boto3.client(service, region_name=region, endpoint_url=endpoint, aws_access_key_id="test", aws_secret_access_key="test")


def every(service: Any, operation: str, field: str, **parameters: Any) -> list[Any]:
    return [item for page in service.get_paginator(operation).paginate(**parameters) for item in page[field]]


cloudformation, iam, gateway, events, functions, queues = map(client, ["cloudformation", "iam", "apigateway", "events", "lambda", "sqs"])
resources = cloudformation.describe_stack_resources(StackName=stack)["StackResources"]


def named(resource_type: str) -> list[str]:
    return [resource["PhysicalResourceId"] for resource in resources if resource["ResourceType"] == resource_type]


def policies(role: str) -> list[Any]:
    return [iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in every(iam, "list_role_policies", "PolicyNames", RoleName=role)]


def table(name: str) -> Any:
    return client("dynamodb").describe_table(TableName=name)["Table"]


def targets(rule: str) -> list[Any]:
    """The targets of a rule, with the policies of the functions that they start."""
    found = events.list_targets_by_rule(Rule=rule)["Targets"]
    return [{**target, "Policy": json.loads(functions.get_policy(FunctionName=target["Arn"])["Policy"])} for target in found]


def methods(api: str) -> list[Any]:
    return [
        {"route": f"{method} {resource['path']}", **gateway.get_integration(restApiId=api, resourceId=resource["id"], httpMethod=method)}
        for resource in every(gateway, "get_resources", "items", restApiId=api)
        for method in resource.get("resourceMethods", {})
    ]


print(
    json.dumps(
        {
            "resources": {resource["LogicalResourceId"]: [resource["ResourceType"], resource.get("PhysicalResourceId", resource["LogicalResourceId"])] for resource in resources},
            "outputs": {output["OutputKey"]: output["OutputValue"] for output in cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["Outputs"]},
            "template": cloudformation.get_template(StackName=stack)["TemplateBody"],
            "functions": every(functions, "list_functions", "Functions"),
            "roles": {role: policies(role) for role in named("AWS::IAM::Role")},
            "tables": [table(name) for name in named("AWS::DynamoDB::Table")],
            "methods": [method for api in named("AWS::ApiGateway::RestApi") for method in methods(api)],
            "rules": [{**rule, "Targets": targets(rule["Name"])} for rule in every(events, "list_rules", "Rules")],
            "mappings": every(functions, "list_event_source_mappings", "EventSourceMappings"),
            "pages": {key["Key"]: bucket for bucket in named("AWS::S3::Bucket") for key in client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])},
            "queues": {url: queues.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"] for url in named("AWS::SQS::Queue")},
        },
        default=str,
    )
)
