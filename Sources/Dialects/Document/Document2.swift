// Made by scripts/bridge-document.py out of OpenCode 1.18.33's own document.
extension Document {
    static let part2 = #"""
        ef":"#/components/schemas/Message"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}},"re\#
        quired":["info","parts"],"additionalProperties":false}}}}},"400":{"description":"BadRequest | InvalidRequestEr\#
        ror","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRe\#
        quest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundError","content\#
        ":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Retrieve all \#
        messages in a session, including user prompts and AI responses.","summary":"Get session messages"},"post":{"ta\#
        gs":["session"],"operationId":"session.prompt","parameters":[{"name":"sessionID","in":"path","schema":{"type":\#
        "string","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"requi\#
        red":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":\#
        {"description":"Created message","content":{"application/json":{"schema":{"type":"object","required":["info","\#
        parts"],"properties":{"info":{"$ref":"#/components/schemas/AssistantMessage"},"parts":{"type":"array","items":\#
        {"$ref":"#/components/schemas/Part"}}}}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{\#
        "application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":\#
        "#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/\#
        json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Create and send a new message\#
         to a session, streaming the AI response.","summary":"Send message","requestBody":{"content":{"application/jso\#
        n":{"schema":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"model":{"type":"ob\#
        ject","properties":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"required":["providerID","mode\#
        lID"],"additionalProperties":false},"agent":{"type":"string"},"noReply":{"type":"boolean"},"tools":{"type":"ob\#
        ject","additionalProperties":{"type":"boolean"}},"format":{"$ref":"#/components/schemas/OutputFormat"},"system\#
        ":{"type":"string"},"variant":{"type":"string"},"parts":{"type":"array","items":{"anyOf":[{"$ref":"#/component\#
        s/schemas/TextPartInput"},{"$ref":"#/components/schemas/FilePartInput"},{"$ref":"#/components/schemas/AgentPar\#
        tInput"},{"$ref":"#/components/schemas/SubtaskPartInput"}]}}},"required":["parts"],"additionalProperties":fals\#
        e}}}}}},"/session/{sessionID}/message/{messageID}":{"get":{"tags":["session"],"operationId":"session.message",\#
        "parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":true},{"n\#
        ame":"messageID","in":"path","schema":{"type":"string","pattern":"^msg"},"required":true},{"name":"directory",\#
        "in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"s\#
        tring"},"required":false}],"responses":{"200":{"description":"Message","content":{"application/json":{"schema"\#
        :{"type":"object","properties":{"info":{"$ref":"#/components/schemas/Message"},"parts":{"type":"array","items"\#
        :{"$ref":"#/components/schemas/Part"}}},"required":["info","parts"],"additionalProperties":false}}}},"400":{"d\#
        escription":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/co\#
        mponents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"40\#
        4":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFou\#
        ndError"}}}}},"description":"Retrieve a specific message from a session by its message ID.","summary":"Get mes\#
        sage"}},"/session/{sessionID}/todo":{"get":{"tags":["session"],"operationId":"session.todo","parameters":[{"na\#
        me":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":true},{"name":"directory","\#
        in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"st\#
        ring"},"required":false}],"responses":{"200":{"description":"Todo list","content":{"application/json":{"schema\#
        ":{"type":"array","items":{"$ref":"#/components/schemas/Todo"}}}}},"400":{"description":"BadRequest | InvalidR\#
        equestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiErr\#
        or_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundError",\#
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Retri\#
        eve the todo list associated with a specific session, showing tasks and action items.","summary":"Get session \#
        todos"}},"/skill":{"get":{"tags":["instance"],"operationId":"app.skills","parameters":[{"name":"directory","in\#
        ":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"stri\#
        ng"},"required":false}],"responses":{"200":{"description":"List of skills","content":{"application/json":{"sch\#
        ema":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"st\#
        ring"},"location":{"type":"string"},"content":{"type":"string"}},"required":["name","location","content"],"add\#
        itionalProperties":false}}}}},"400":{"description":"Bad request","content":{"application/json":{"schema":{"$re\#
        f":"#/components/schemas/BadRequestError"}}}}},"description":"Get a list of all available skills in the OpenCo\#
        de system.","summary":"List skills"}},"/vcs":{"get":{"tags":["instance"],"operationId":"vcs.get","parameters":\#
        [{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query\#
        ","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"VCS info","content":{"appli\#
        cation/json":{"schema":{"$ref":"#/components/schemas/VcsInfo"}}}},"400":{"description":"Bad request","content"\#
        :{"application/json":{"schema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Retrieve ver\#
        sion control system (VCS) information for the current project, such as git branch.","summary":"Get VCS info"}}\#
        ,"/instance/dispose":{"post":{"tags":["instance"],"operationId":"instance.dispose","parameters":[{"name":"dire\#
        ctory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"t\#
        ype":"string"},"required":false}],"responses":{"200":{"description":"Instance disposed","content":{"applicatio\#
        n/json":{"schema":{"type":"boolean"}}}},"400":{"description":"Bad request","content":{"application/json":{"sch\#
        ema":{"$ref":"#/components/schemas/BadRequestError"}}}}},"description":"Clean up and dispose the current OpenC\#
        ode instance, releasing all resources.","summary":"Dispose instance"}},"/log":{"post":{"tags":["control"],"ope\#
        rationId":"app.log","parameters":[{"name":"directory","in":"query","schema":{"type":"string"},"required":false\#
        },{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"descript\#
        ion":"Log entry written successfully","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"de\#
        scription":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/com\#
        ponents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}}},"de\#
        scription":"Write a log entry to the server logs with specified level and metadata.","summary":"Write log","re\#
        questBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"service":{"type":"string"}\#
        ,"level":{"type":"string","enum":["debug","info","error","warn"]},"message":{"type":"string"},"extra":{"type":\#
        "object"}},"required":["service","level","message"],"additionalProperties":false}}}}}},"/permission/{requestID\#
        }/reply":{"post":{"tags":["permission"],"operationId":"permission.reply","parameters":[{"name":"requestID","in\#
        ":"path","schema":{"type":"string","pattern":"^per"},"required":true},{"name":"directory","in":"query","schema\#
        ":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":f\#
        alse}],"responses":{"200":{"description":"Permission processed successfully","content":{"application/json":{"s\#
        chema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/j\#
        son":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/\#
        schemas/InvalidRequestError"}]}}}},"404":{"description":"PermissionNotFoundError","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/PermissionNotFoundError"}}}}},"description":"Approve or deny a permi\#
        ssion request from the AI assistant.","summary":"Respond to permission request","requestBody":{"content":{"app\#
        lication/json":{"schema":{"type":"object","properties":{"reply":{"type":"string","enum":["once","always","reje\#
        ct"]},"message":{"type":"string"}},"required":["reply"],"additionalProperties":false}}}}}},"/pty/{ptyID}/conne\#
        ct-token":{"post":{"tags":["pty"],"operationId":"pty.connectToken","parameters":[{"name":"ptyID","in":"path","\#
        schema":{"type":"string","pattern":"^pty"},"required":true},{"name":"directory","in":"query","schema":{"type":\#
        "string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"re\#
        sponses":{"200":{"description":"WebSocket connect token","content":{"application/json":{"schema":{"$ref":"#/co\#
        mponents/schemas/PtyTicketConnectToken"}}}},"400":{"description":"Bad request","content":{"application/json":{\#
        "schema":{"$ref":"#/components/schemas/BadRequestError"}}}},"403":{"description":"PtyForbiddenError","content"\#
        :{"application/json":{"schema":{"$ref":"#/components/schemas/PtyForbiddenError"}}}},"404":{"description":"PtyN\#
        otFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/PtyNotFoundError"}}}}},"de\#
        scription":"Create a short-lived ticket for opening a PTY WebSocket connection.","summary":"Create PTY WebSock\#
        et token"}},"/question/{requestID}/reject":{"post":{"tags":["question"],"operationId":"question.reject","param\#
        eters":[{"name":"requestID","in":"path","schema":{"type":"string","pattern":"^que"},"required":true},{"name":"\#
        directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema"\#
        :{"type":"string"},"required":false}],"responses":{"200":{"description":"Question rejected successfully","cont\#
        ent":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestErro\#
        r","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequ\#
        est"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"QuestionNotFoundError","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/QuestionNotFoundError"}}}}},"description":\#
        "Reject a question request from the AI assistant.","summary":"Reject question request"}},"/question/{requestID\#
        }/reply":{"post":{"tags":["question"],"operationId":"question.reply","parameters":[{"name":"requestID","in":"p\#
        ath","schema":{"type":"string","pattern":"^que"},"required":true},{"name":"directory","in":"query","schema":{"\#
        type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false\#
        }],"responses":{"200":{"description":"Question answered successfully","content":{"application/json":{"schema":\#
        {"type":"boolean"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"\#
        schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas\#
        /InvalidRequestError"}]}}}},"404":{"description":"QuestionNotFoundError","content":{"application/json":{"schem\#
        a":{"$ref":"#/components/schemas/QuestionNotFoundError"}}}}},"description":"Provide answers to a question requ\#
        est from the AI assistant.","summary":"Reply to question request","requestBody":{"content":{"application/json"\#
        :{"schema":{"type":"object","properties":{"answers":{"type":"array","items":{"$ref":"#/components/schemas/Ques\#
        tionAnswer"}}},"required":["answers"],"additionalProperties":false}}}}}},"/session/{sessionID}/abort":{"post":\#
        {"tags":["session"],"operationId":"session.abort","parameters":[{"name":"sessionID","in":"path","schema":{"typ\#
        e":"string","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"re\#
        quired":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"20\#
        0":{"description":"Aborted session","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"desc\#
        ription":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/compo\#
        nents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}}},"desc\#
        ription":"Abort an active session and stop any ongoing AI processing or command execution.","summary":"Abort s\#
        ession"}},"/session/{sessionID}/command":{"post":{"tags":["session"],"operationId":"session.command","paramete\#
        rs":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":true},{"name":"dir\#
        ectory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"\#
        type":"string"},"required":false}],"responses":{"200":{"description":"Created message","content":{"application\#
        /json":{"schema":{"type":"object","required":["info","parts"],"properties":{"info":{"$ref":"#/components/schem\#
        as/AssistantMessage"},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Part"}}}}}}},"400":{"descr\#
        iption":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/compon\#
        ents/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{\#
        "description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundEr\#
        ror"}}}}},"description":"Send a new command to a session for execution by the AI assistant.","summary":"Send c\#
        ommand","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{"ty\#
        pe":"string","pattern":"^msg"},"agent":{"type":"string"},"model":{"type":"string"},"arguments":{"type":"string\#
        "},"command":{"type":"string"},"variant":{"type":"string"},"parts":{"type":"array","items":{"type":"object","p\#
        roperties":{"id":{"type":"string","pattern":"^prt"},"type":{"type":"string","enum":["file"]},"mime":{"type":"s\#
        tring"},"filename":{"type":"string"},"url":{"type":"string"},"source":{"$ref":"#/components/schemas/FilePartSo\#
        urce"}},"required":["type","mime","url"],"additionalProperties":false}}},"required":["arguments","command"],"a\#
        dditionalProperties":false}}}}}},"/session/{sessionID}/fork":{"post":{"tags":["session"],"operationId":"sessio\#
        n.fork","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":t\#
        rue},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"q\#
        uery","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"200","content":{"applic\#
        ation/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"BadRequest | InvalidReq\#
        uestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError\#
        _BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundError","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Create \#
        a new session by forking an existing session at a specific message point.","summary":"Fork session","requestBo\#
        dy":{"content":{"application/json":{"schema":{"type":"object","properties":{"messageID":{"type":"string","patt\#
        ern":"^msg"}},"additionalProperties":false}}}}}},"/session/{sessionID}/permissions/{permissionID}":{"post":{"t\#
        ags":["session"],"operationId":"permission.respond","parameters":[{"name":"sessionID","in":"path","schema":{"t\#
        ype":"string","pattern":"^ses"},"required":true},{"name":"permissionID","in":"path","schema":{"type":"string",\#
        "pattern":"^per"},"required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":fals\#
        e},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"descrip\#
        tion":"Permission processed successfully","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":\#
        {"description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#\#
        /components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},\#
        "404":{"description":"NotFoundError | PermissionNotFoundError","content":{"application/json":{"schema":{"anyOf\#
        ":[{"$ref":"#/components/schemas/NotFoundError"},{"$ref":"#/components/schemas/PermissionNotFoundError"}]}}}}}\#
        ,"description":"Approve or deny a permission request from the AI assistant.","summary":"Respond to permission"\#
        ,"deprecated":true,"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"resp\#
        onse":{"type":"string","enum":["once","always","reject"]}},"required":["response"],"additionalProperties":fals\#
        e}}}}}},"/session/{sessionID}/prompt_async":{"post":{"tags":["session"],"operationId":"session.prompt_async","\#
        parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":true},{"na\#
        me":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","sc\#
        hema":{"type":"string"},"required":false}],"responses":{"204":{},"400":{"description":"BadRequest | InvalidReq\#
        uestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError\#
        _BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundError","c\#
        ontent":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Create \#
        and send a new message to a session asynchronously, starting the session if needed and returning immediately."\#
        ,"summary":"Send async message","requestBody":{"content":{"application/json":{"schema":{"type":"object","prope\#
        rties":{"messageID":{"type":"string","pattern":"^msg"},"model":{"type":"object","properties":{"providerID":{"t\#
        ype":"string"},"modelID":{"type":"string"}},"required":["providerID","modelID"],"additionalProperties":false},\#
        "agent":{"type":"string"},"noReply":{"type":"boolean"},"tools":{"type":"object","additionalProperties":{"type"\#
        :"boolean"}},"format":{"$ref":"#/components/schemas/OutputFormat"},"system":{"type":"string"},"variant":{"type\#
        ":"string"},"parts":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/TextPartInput"},{"$ref":"#\#
        /components/schemas/FilePartInput"},{"$ref":"#/components/schemas/AgentPartInput"},{"$ref":"#/components/schem\#
        as/SubtaskPartInput"}]}}},"required":["parts"],"additionalProperties":false}}}}}},"/session/{sessionID}/revert\#
        ":{"post":{"tags":["session"],"operationId":"session.revert","parameters":[{"name":"sessionID","in":"path","sc\#
        hema":{"type":"string","pattern":"^ses"},"required":true},{"name":"directory","in":"query","schema":{"type":"s\#
        tring"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"},"required":false}],"resp\#
        onses":{"200":{"description":"Updated session","content":{"application/json":{"schema":{"$ref":"#/components/s\#
        chemas/Session"}}}},"400":{"description":"BadRequest | InvalidRequestError","content":{"application/json":{"sc\#
        hema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/I\#
        nvalidRequestError"}]}}}},"404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref"\#
        :"#/components/schemas/NotFoundError"}}}},"409":{"description":"SessionBusyError","content":{"application/json\#
        ":{"schema":{"$ref":"#/components/schemas/SessionBusyError"}}}}},"description":"Revert a specific message in a\#
         session, undoing its effects and restoring the previous state.","summary":"Revert message","requestBody":{"co\#
        ntent":{"application/json":{"schema":{"type":"object","properties":{"messageID":{"type":"string","pattern":"^m\#
        sg"},"partID":{"type":"string","pattern":"^prt"}},"required":["messageID"],"additionalProperties":false}}}}}},\#
        "/session/{sessionID}/shell":{"post":{"tags":["session"],"operationId":"session.shell","parameters":[{"name":"\#
        sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"required":true},{"name":"directory","in":"\#
        query","schema":{"type":"string"},"required":false},{"name":"workspace","in":"query","schema":{"type":"string"\#
        },"required":false}],"responses":{"200":{"description":"Created message","content":{"application/json":{"schem\#
        a":{"type":"object","properties":{"info":{"$ref":"#/components/schemas/Message"},"parts":{"type":"array","item\#
        s":{"$ref":"#/components/schemas/Part"}}},"required":["info","parts"],"additionalProperties":false}}}},"400":{\#
        "description":"BadRequest | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/\#
        components/schemas/effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"\#
        404":{"description":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotF\#
        oundError"}}}},"409":{"description":"SessionBusyError","content":{"application/json":{"schema":{"$ref":"#/comp\#
        onents/schemas/SessionBusyError"}}}}},"description":"Execute a shell command within the session context and re\#
        turn the AI's response.","summary":"Run shell command","requestBody":{"content":{"application/json":{"schema":\#
        {"type":"object","properties":{"messageID":{"type":"string","pattern":"^msg"},"agent":{"type":"string"},"model\#
        ":{"type":"object","properties":{"providerID":{"type":"string"},"modelID":{"type":"string"}},"required":["prov\#
        iderID","modelID"],"additionalProperties":false},"command":{"type":"string"}},"required":["agent","command"],"\#
        additionalProperties":false}}}}}},"/session/{sessionID}/summarize":{"post":{"tags":["session"],"operationId":"\#
        session.summarize","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"\#
        required":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspa\#
        ce","in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Summarized s\#
        ession","content":{"application/json":{"schema":{"type":"boolean"}}}},"400":{"description":"BadRequest | Inval\#
        idRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas/effect_HttpApi\#
        Error_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description":"NotFoundErro\#
        r","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}}},"description":"Ge\#
        nerate a concise summary of the session using AI compaction to preserve key information.","summary":"Summarize\#
         session","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"providerID":{\#
        "type":"string"},"modelID":{"type":"string"},"auto":{"type":"boolean"}},"required":["providerID","modelID"],"a\#
        dditionalProperties":false}}}}}},"/session/{sessionID}/unrevert":{"post":{"tags":["session"],"operationId":"se\#
        ssion.unrevert","parameters":[{"name":"sessionID","in":"path","schema":{"type":"string","pattern":"^ses"},"req\#
        uired":true},{"name":"directory","in":"query","schema":{"type":"string"},"required":false},{"name":"workspace"\#
        ,"in":"query","schema":{"type":"string"},"required":false}],"responses":{"200":{"description":"Updated session\#
        ","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Session"}}}},"400":{"description":"Bad\#
        Request | InvalidRequestError","content":{"application/json":{"schema":{"anyOf":[{"$ref":"#/components/schemas\#
        /effect_HttpApiError_BadRequest"},{"$ref":"#/components/schemas/InvalidRequestError"}]}}}},"404":{"description\#
        ":"NotFoundError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/NotFoundError"}}}},"40\#
        9":{"description":"SessionBusyError","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Ses\#
        sionBusyError"}}}}},"description":"Restore all previously reverted messages in a session.","summary":"Restore \#
        reverted messages"}}},"components":{"schemas":{"APIError":{"type":"object","properties":{"name":{"type":"strin\#
        g","enum":["APIError"]},"data":{"type":"object","properties":{"message":{"type":"string"},"statusCode":{"type"\#
        :"integer","minimum":0},"isRetryable":{"type":"boolean"},"responseHeaders":{"type":"object","additionalPropert\#
        ies":{"type":"string"}},"responseBody":{"type":"string"},"metadata":{"type":"object","additionalProperties":{"\#
        type":"string"}}},"required":["message","isRetryable"],"additionalProperties":false}},"required":["name","data\#
        "],"additionalProperties":false},"Agent":{"type":"object","properties":{"name":{"type":"string"},"description"\#
        :{"type":"string"},"mode":{"type":"string","enum":["subagent","primary","all"]},"native":{"type":"boolean"},"h\#
        idden":{"type":"boolean"},"topP":{"type":"number"},"temperature":{"type":"number"},"color":{"type":"string"},"\#
        permission":{"$ref":"#/components/schemas/PermissionRuleset"},"model":{"type":"object","properties":{"modelID"\#
        :{"type":"string"},"providerID":{"type":"string"}},"required":["modelID","providerID"],"additionalProperties":\#
        false},"variant":{"type":"string"},"prompt":{"type":"string"},"options":{"type":"object"},"steps":{"type":"num\#
        ber"}},"required":["name","mode","permission","options"],"additionalProperties":false},"AgentConfig":{"type":"\#
        object","properties":{"model":{"type":"string"},"variant":{"type":"string"},"temperature":{"type":"number"},"t\#
        op_p":{"type":"number"},"prompt":{"type":"string"},"tools":{"type":"object","additionalProperties":{"type":"bo\#
        olean"}},"disable":{"type":"boolean"},"description":{"type":"string"},"mode":{"type":"string","enum":["subagen\#
        t","primary","all"]},"hidden":{"type":"boolean"},"options":{"type":"object"},"color":{"anyOf":[{"type":"string\#
        ","pattern":"^#[0-9a-fA-F]{6}$"},{"type":"string","enum":["primary","secondary","accent","success","warning","\#
        error","info"]}]},"steps":{"type":"integer","exclusiveMinimum":0},"maxSteps":{"type":"integer","exclusiveMinim\#
        um":0},"permission":{"$ref":"#/components/schemas/PermissionConfig"}},"additionalProperties":{}},"AgentPart":{
        """#
}
