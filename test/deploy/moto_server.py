"""
Runs moto, an emulator of AWS, with the parts of CloudFormation and Lambda that moto lacks and the stack of this service needs:

- Secrets are generated, the REST API gets its OpenAPI document, and roles, tables and event rules can be updated.
- A Lambda function runs: its deployed code, in a process with its deployed environment (function_runtime.cjs). Its requests to AWS go to
  the URL in FUNCTIONS_ENDPOINT, with the name of the function as access key and the policies of its role as session token.
- A custom resource runs its function, and the deployment fails if the function reports a failure.
- Resources of the types in RECORDED are only recorded, so that other resources can refer to them. Any other unknown type is an error.

Prints the port. Ends when its standard input ends, so it never outlives the process that started it.
"""

import base64
import io
import json
import logging
import os
import subprocess
import sys
import threading
import traceback
import zipfile
from pathlib import Path
from typing import Any

from werkzeug.serving import make_server

from moto.apigateway.models import RestAPI, apigateway_backends
from moto.awslambda.models import LambdaFunction
from moto.awslambda.utils import get_backend as lambda_backend
from moto.cloudformation import cloudformation_backends, parsing, responses
from moto.cloudformation import models as stacks
from moto.cloudformation.custom_model import CustomModel
from moto.cloudformation.exceptions import CloudFormationError, ValidationError
from moto.core.common_models import CloudFormationModel
from moto.core.responses import ActionResult
from moto.dynamodb.models import Table, dynamodb_backends
from moto.dynamodb.responses import DynamoHandler
from moto.events.models import Rule
from moto.iam.models import Role, iam_backends
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from moto.s3.models import s3_backends
from moto.secretsmanager.models import secretsmanager_backends

# moto takes the name of a model's service from the second part of its module's name.
__name__ = "deploy.moto_server"

RECORDED = {
    "AWS::ApiGateway::Account",
    "AWS::ApiGateway::Stage",
    "AWS::Budgets::Budget",
    "AWS::CDK::Metadata",
    "AWS::CloudFront::CachePolicy",
    "AWS::CloudFront::Distribution",
    "AWS::CloudFront::Function",
    "AWS::CloudFront::OriginAccessControl",
    "AWS::CloudFront::OriginRequestPolicy",
    "AWS::CloudFront::ResponseHeadersPolicy",
    "AWS::CloudWatch::Alarm",
    "AWS::Lambda::EventInvokeConfig",
    "AWS::Logs::MetricFilter",
    "AWS::S3::BucketPolicy",
    "AWS::SES::ConfigurationSet",
    "AWS::SES::ConfigurationSetEventDestination",
    "AWS::SNS::Subscription",
    "AWS::SNS::TopicPolicy",
    "AWS::SQS::QueuePolicy",
}
# The properties that name a recorded resource.
NAMES = ("AlarmName", "StageName", "FilterName", "Name")
FOLDER = Path(os.environ["FUNCTIONS_FOLDER"])
DYNAMODB = threading.Lock()
# Instances that wait for an event. More of them would only take memory.
MAX_IDLE = 8


class Recorded(CloudFormationModel):
    def __init__(self, kind: str, name: str, region: str, account: str):
        self.kind, self.name, self.region, self.account = kind, name, region, account

    @staticmethod
    def cloudformation_type() -> str:
        return "Recorded"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any):
        properties = cloudformation_json["Properties"]
        configured = [properties, *(value for value in properties.values() if isinstance(value, dict))]
        name = next((fields[name] for fields in configured for name in NAMES if name in fields), resource_name)
        return cls(cloudformation_json["Type"], name, region_name, account_id)

    @property
    def physical_resource_id(self) -> str:
        return self.name

    def get_cfn_attribute(self, attribute: str) -> str:
        if attribute == "DomainName":
            return f"{self.name.lower()[-14:]}.cloudfront.net"
        service = self.kind.split("::")[1].lower()
        return f"arn:aws:{service}:{self.region}:{self.account}:{attribute}/{self.name}"

    def delete(self, *_: Any) -> None:
        pass


class Secret(Recorded):
    @staticmethod
    def cloudformation_type() -> str:
        return "AWS::SecretsManager::Secret"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **_: Any):
        properties = cloudformation_json["Properties"]
        wanted = properties["GenerateSecretString"]
        if set(wanted) != {"ExcludePunctuation", "PasswordLength"}:
            raise ValueError(f"GenerateSecretString has settings that this emulation does not know: {wanted}")
        backend = secretsmanager_backends[account_id][region_name]
        password = json.loads(backend.get_random_password(wanted["PasswordLength"], "", False, wanted["ExcludePunctuation"], False, False, False, True))
        made = backend.create_secret(resource_name, password["RandomPassword"], None, properties.get("Description"), [], None, None, [], False)
        return cls("AWS::SecretsManager::Secret", json.loads(made)["ARN"], region_name, account_id)


class Custom(CustomModel):
    @classmethod
    def create_from_cloudformation_json(cls, resource_name: str, cloudformation_json: Any, account_id: str, region_name: str, **about: Any):
        resource = cls(region_name, "request", about["LogicalId"], resource_name)
        resource.about = {"StackId": about["StackId"], "ResourceType": cloudformation_json["Type"]}
        stack = cloudformation_backends[account_id][region_name].get_stack(about["StackId"])
        stack.add_custom_resource(resource)
        resource.run("Create", cloudformation_json["Properties"], account_id)
        return resource

    def run(self, request_type: str, properties: Any, account_id: str) -> None:
        """Runs the function. moto reads its report and calls `set_data` if it reports success."""
        function = lambda_backend(account_id, self.region_name).get_function(properties["ServiceToken"])
        url = f"http://127.0.0.1:{server.server_port}/cloudformation_{self.region_name}/cfnresponse?stack={self.about['StackId']}"
        event = {
            **self.about,
            "RequestType": request_type,
            "ServiceToken": properties["ServiceToken"],
            "ResponseURL": url,
            "RequestId": self.request_id,
            "LogicalResourceId": self.logical_id,
            "PhysicalResourceId": self.resource_name,
            "ResourceProperties": properties,
        }
        self.properties = properties
        self._finished = False
        result = function.invoke(json.dumps(event), {}, {})
        if not self._finished:
            raise RuntimeError(f"The custom resource {self.logical_id} failed: {result.decode()}")

    def delete(self, account_id: str, _: str) -> None:
        self.run("Delete", self.properties, account_id)


class Instance:
    """A running instance of a Lambda function."""

    idle: list["Instance"] = []

    def __init__(self, function: LambdaFunction):
        folder = FOLDER / function.code_sha_256.replace("/", "_")
        if not folder.exists():
            zipfile.ZipFile(io.BytesIO(function.code_bytes)).extractall(folder)
        self.version = self.version_of(function)
        self.process = subprocess.Popen(
            [os.environ["NODE"], Path(__file__).with_name("function_runtime.cjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=LOG,
            cwd=folder,
            env={
                "AWS_REGION": function.region,
                "AWS_ACCESS_KEY_ID": function.function_name,
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_SESSION_TOKEN": base64.b64encode(json.dumps(self.policies_of(function)).encode()).decode(),
                "AWS_ENDPOINT_URL": os.environ["FUNCTIONS_ENDPOINT"],
                "AWS_LAMBDA_FUNCTION_NAME": function.function_name,
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_size),
                "LAMBDA_TASK_ROOT": str(folder),
                "_HANDLER": function.handler,
                "TIMEOUT_SECONDS": str(function.timeout),
                **function.environment_vars,
            },
        )

    @staticmethod
    def policies_of(function: LambdaFunction) -> list[Any]:
        role = iam_backends[function.account_id]["aws"].get_role_by_arn(function.role)
        if role.managed_policies:
            raise ValueError(f"{role.name} has managed policies, which the check of the roles does not read")
        return [json.loads(document) for document in role.policies.values()]

    @classmethod
    def version_of(cls, function: LambdaFunction) -> str:
        return json.dumps([function.function_name, function.code_sha_256, function.environment_vars, cls.policies_of(function)])

    @classmethod
    def take(cls, function: LambdaFunction) -> "Instance":
        version = cls.version_of(function)
        found = next((instance for instance in list(cls.idle) if instance.version == version), None)
        try:
            cls.idle.remove(found)
            return found
        except ValueError:  # None of them waits, or another thread has taken the instance.
            return cls(function)

    def handle(self, event: str) -> dict[str, Any]:
        self.process.stdin.write(f"{json.dumps(json.loads(event))}\n".encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            return {"error": {"errorType": "Runtime.ExitError", "errorMessage": "The process of the function has ended"}}
        self.idle.append(self)
        while len(self.idle) > MAX_IDLE:
            self.idle.pop(0).process.terminate()
        return json.loads(line)


def invoke(function: LambdaFunction, body: Any, _: Any, response_headers: Any) -> bytes:
    result = Instance.take(function).handle(body or "{}")
    if "error" in result:
        response_headers["x-amz-function-error"] = "Unhandled"
    return json.dumps(result["error"] if "error" in result else result.get("payload")).encode()


def put_policies(role: Role, properties: Any) -> None:
    role.assume_role_policy_document = json.dumps(properties["AssumeRolePolicyDocument"])
    role.policies = {policy["PolicyName"]: json.dumps(policy["PolicyDocument"]) for policy in properties.get("Policies", [])}


def put_body(api: RestAPI, properties: Any) -> None:
    if "Body" in properties:
        for operation in [operation for path in properties["Body"]["paths"].values() for operation in path.values()]:
            # moto requires these fields, which an integration without a function lacks.
            for field in ("uri", "httpMethod"):
                operation["x-amazon-apigateway-integration"].setdefault(field, "")
        apigateway_backends[api.account_id][api.region_name].put_rest_api(api.id, properties["Body"], False, "overwrite")


def change_table(table: Table, properties: Any) -> None:
    """Adds and removes indexes. The caller has checked that CloudFormation could make these changes."""
    if properties["KeySchema"] != table.schema:
        raise ValueError("Another key would replace the table and lose its data")
    wanted = {index["IndexName"]: index for index in properties.get("GlobalSecondaryIndexes", [])}
    existing = {index.name for index in table.global_indexes}
    changes = [{"Create": wanted[name]} for name in wanted if name not in existing]
    changes += [{"Delete": {"IndexName": name}} for name in existing if name not in wanted]
    if changes:
        backend = dynamodb_backends[table.account_id][table.region_name]
        backend.update_table(table.name, properties["AttributeDefinitions"], changes, None, None, None, None, None, None)


def change_rule(rule: Rule, properties: Any) -> None:
    rule.description, rule.state = properties["Description"], properties["State"]
    rule.scheduled_expression, rule.targets = properties["ScheduleExpression"], properties["Targets"]


# How to update resources that moto cannot update, or updates only in part.
UPDATES = {
    "AWS::IAM::Role": put_policies,
    "AWS::ApiGateway::RestApi": put_body,
    "AWS::DynamoDB::Table": change_table,
    "AWS::Events::Rule": change_rule,
    "AWS::Logs::LogGroup": lambda group, properties: group.set_retention_policy(properties.get("RetentionInDays")),
}


def model_of(resource_type: str) -> type[CloudFormationModel]:
    if resource_type.startswith("Custom::"):
        return Custom
    if resource_type == Secret.cloudformation_type():
        return Secret
    model = Recorded if resource_type in RECORDED else parsing.get_model_map().get(resource_type)
    if model is None:
        raise ValidationError(message=f"Neither moto nor test/deploy/moto_server.py knows the type {resource_type}")
    return model


def create(logical_id: str, resource_json: Any, resources: Any, account_id: str, region_name: str) -> Any:
    try:
        resource = create_by_moto(logical_id, resource_json, resources, account_id, region_name)
        if isinstance(resource, (RestAPI, Role)):
            UPDATES[resource_json["Type"]](resource, parsing.clean_json(resource_json["Properties"], resources))
        return resource
    except ValidationError:  # A resource to which this resource refers cannot be created.
        raise
    except Exception as error:
        # A ValidationError has status 400, so the SDK does not repeat the request.
        raise ValidationError(message=f"{logical_id} cannot be created: {error!r}")


def update(logical_id: str, resource_json: Any, resources: Any, account_id: str, region_name: str) -> Any:
    resource = resources[logical_id]
    kind, properties = resource_json["Type"], parsing.clean_json(resource_json.get("Properties", {}), resources)
    try:
        if kind in UPDATES:
            UPDATES[kind](resource, properties)
        elif isinstance(resource, Custom):
            resource.run("Update", properties, account_id)
        elif not isinstance(resource, Recorded):
            return update_by_moto(logical_id, resource_json, resources, account_id, region_name) or resource
        return resource
    except Exception as error:
        raise ValidationError(message=f"{logical_id} cannot be updated: {error!r}")


def read_parameter(resources: parsing.ResourceMap, value: str, value_type: str) -> str:
    """Reads a parameter of SSM by its name. In an update with `UsePreviousValue`, moto passes the value, which it has read before."""
    return read_by_moto(resources, value, value_type) if value.startswith("/") else value


def template_at(url: str, account_id: str, partition: str) -> str:
    """Reads a template from a path-style URL of this server. moto expects a host name of AWS."""
    bucket, key = url.split("://", 1)[1].split("/", 2)[1:]
    return s3_backends[account_id][partition].get_object(bucket, key).value.decode()


def parse(text: str) -> Any:
    """Parses a template. moto's parser of YAML needs a minute for this stack's template, which is JSON."""
    return json.loads(text) if text.startswith("{") else parse_yaml(text)


def parse_change_set(change_set: stacks.ChangeSet) -> None:
    change_set.template_dict = parse(change_set.template)


def apply(change_set: stacks.ChangeSet) -> None:
    """Applies a change set, and the template with its outputs, which moto forgets."""
    # moto would keep the parameters that the new template no longer has.
    change_set.stack.resource_map.input_parameters, change_set.stack.resource_map.resolved_parameters = {}, {}
    try:
        apply_by_moto(change_set)
    except ValidationError:
        raise
    except Exception as error:
        traceback.print_exc()
        raise ValidationError(message=f"The change set cannot be applied: {error!r}")
    change_set.stack.template = change_set.template
    change_set.stack.template_dict = change_set.template_dict
    change_set.stack.output_map = change_set.stack._create_output_map()


class ChangeSetNotFound(CloudFormationError):
    code = "ChangeSetNotFoundException"


def describe_change_set(backend: stacks.CloudFormationBackend, change_set_name: str) -> stacks.ChangeSet:
    """Finds a change set. CDK waits for this error after it has deleted a change set; moto reports another error."""
    try:
        return describe_by_moto(backend, change_set_name)
    except ValidationError:
        raise ChangeSetNotFound(f"There is no change set {change_set_name}")


def delete_change_set(backend: stacks.CloudFormationBackend, change_set_name: str) -> None:
    """Deletes a change set. Like AWS, accepts the name of a change set that does not exist: CDK deletes an earlier one before each update."""
    if any(change_set_name in (id, found.change_set_name) for id, found in backend.change_sets.items()):
        delete_by_moto(backend, change_set_name)


def call_dynamodb(handler: DynamoHandler) -> Any:
    """Handles one request to DynamoDB at a time. moto copies a whole table at the beginning of a transaction, and restores the copy if the
    transaction is refused. Another thread's write would fail the copying, or would be lost."""
    with DYNAMODB:
        return call_dynamodb_by_moto(handler)


def delete_stack(backend: stacks.CloudFormationBackend, name_or_id: str) -> None:
    """Refuses to delete a protected stack, and deletes its custom resources first, because they need other resources and the stack itself.
    moto knows only one of the policies that retain a resource."""
    stack = backend.get_stack(name_or_id)
    if stack.enable_termination_protection:
        raise ValidationError(message=f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
    resources, definitions = stack.resource_map, stack.resource_map._resource_json_map
    for logical_id, definition in list(definitions.items()):
        if str(definition.get("DeletionPolicy")).startswith("Retain"):
            definition["DeletionPolicy"] = "Retain"
        elif isinstance(resources[logical_id], Custom):
            resources._delete_resource(resources[logical_id], definitions.pop(logical_id))
    delete_stack_by_moto(backend, name_or_id)


def protect(request: responses.CloudFormationResponse) -> ActionResult:
    stack = request.cloudformation_backend.get_stack(request._get_param("StackName"))
    stack.enable_termination_protection = request._get_bool_param("EnableTerminationProtection")
    return ActionResult({"StackId": stack.stack_id})


def stop_at_end_of_input() -> None:
    sys.stdin.read()
    for instance in list(Instance.idle):
        instance.process.terminate()
    os._exit(0)


create_by_moto, update_by_moto = parsing.parse_and_create_resource, parsing.parse_and_update_resource
parsing.resource_class_from_type = model_of
parsing.parse_and_create_resource = create
parsing.parse_and_update_resource = update
read_by_moto = parsing.ResourceMap.parse_ssm_parameter
parsing.ResourceMap.parse_ssm_parameter = read_parameter
responses.get_stack_from_s3_url = template_at
responses.CloudFormationResponse.update_termination_protection = protect
# The report of a custom resource would make moto create all resources that are not created yet. They are created after the report.
stacks.Stack.verify_readiness = lambda stack: None
parse_yaml, apply_by_moto = stacks.Stack.parse_template, stacks.ChangeSet.apply
stacks.Stack.parse_template = staticmethod(parse)
stacks.ChangeSet._parse_template = parse_change_set
stacks.ChangeSet.apply = apply
describe_by_moto = stacks.CloudFormationBackend.describe_change_set
stacks.CloudFormationBackend.describe_change_set = describe_change_set
delete_stack_by_moto = stacks.CloudFormationBackend.delete_stack
stacks.CloudFormationBackend.delete_stack = delete_stack
delete_by_moto = stacks.CloudFormationBackend.delete_change_set
stacks.CloudFormationBackend.delete_change_set = delete_change_set
LambdaFunction.invoke = invoke
call_dynamodb_by_moto = DynamoHandler.call_action
DynamoHandler.call_action = call_dynamodb

logging.getLogger("werkzeug").setLevel(logging.ERROR)
FOLDER.mkdir(exist_ok=True)
LOG = open(FOLDER / "log", "ab")
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True, request_handler=MotoRequestHandler)
threading.Thread(target=stop_at_end_of_input, daemon=True).start()
print(server.server_port, flush=True)
server.serve_forever()
